import type { Series } from '@fellowship/schema/series/series.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { reportTrouble } from '@fellowship/sync/client/database/database-trouble'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putDefaultPages } from '../testing/default-pages.ts'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`
const mere = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }
const ruth = { ...mere, id: 8, name: 'Ruth', email: 'ruth@example.org' }
const hope: Series = {
  uid: uid(101),
  rev: 3,
  slug: 'hope',
  title: 'Hope',
  description: 'First words.',
  teachings: [uid(1)],
  imageUrl: null,
}
const db = appDatabase

beforeEach(async () => {
  await putDefaultPages()
  localStorage.clear()
  await testServer({})
  await db().teachings.bulkPut(
    [1, 2].map((id) =>
      aTeaching({ id, uid: uid(id), rev: id, title: `Study ${id}`, date: `2026-0${id}-01` }),
    ),
  )
  await db().series.put(hope)
  await writeSyncState(db(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
})

afterEach(async () => {
  deviceQueues().setUser(undefined)
  await Promise.all([db().outbox.clear(), db().teachings.clear(), db().series.clear()])
})

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const field = (label: string) =>
  within(screen.getByRole('dialog')).getByLabelText<HTMLInputElement>(new RegExp(`^${label}`))
const enter = (label: string, value: string) => fireEvent.change(field(label), { target: { value } })
const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

async function edit(user = mere) {
  const site = renderSite('/series/hope', user)
  await press('Edit')
  await screen.findByRole('dialog', { name: 'Edit Series' })
  return site
}

/** Nothing of the page is left but the storage of the device. */
const crash = cleanup

test("another person's changes remain, and are shown", async () => {
  await edit()
  await act(() =>
    db().series.put({ ...hope, rev: 4, description: 'Better words.', teachings: [uid(1), uid(2)] }),
  )
  await screen.findByText('Better words.', { exact: false, selector: '[role=dialog] *' })
  expect(field('Description').value).toBe('First words.')
  enter('Title', 'Hope in hard times')
  await userEvent.click(save())
  await waitFor(async () =>
    expect(await db().outbox.toArray()).toMatchObject([
      { patch: { title: 'Hope in hard times' }, base: { description: 'First words.' }, baseRev: 3 },
    ]),
  )
  expect((await db().outbox.toArray()).map(({ patch }) => Object.keys(patch))).toEqual([['title']])
})

test('a deleted series is shown as deleted', async () => {
  await edit()
  await act(() => db().series.delete(hope.uid))
  expect(await screen.findByText('Deleted since you opened this.')).toBeTruthy()
})

test('the end of a session leaves the words', async () => {
  const site = await edit()
  enter('Description', 'Ten minutes of words.')
  await site.setUser(null)
  await screen.findByText(/^You are signed out\./)
  expect(field('Description').value).toBe('Ten minutes of words.')
  expect(save().disabled).toBe(true)
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Sign In' }))
  await screen.findByLabelText('Password')
  await userEvent.keyboard('{Escape}')
  await site.setUser(ruth)
  await waitFor(() => expect(save().disabled).toBe(false))
  await userEvent.click(save())
  await waitFor(async () =>
    expect(await db().outbox.toArray()).toMatchObject([
      { ownerUserId: ruth.id, patch: { description: 'Ten minutes of words.' } },
    ]),
  )
})

test('the address waits until the dialog closes', async () => {
  const begun = { ...hope, uid: uid(102), slug: uid(102), rev: 0 }
  await db().series.put(begun)
  const site = renderSite(`/series/${begun.uid}`, mere)
  await press('Edit')
  await screen.findByRole('dialog')
  enter('Description', 'Ten minutes of words.')
  await act(() => db().series.put({ ...begun, rev: 5, slug: 'hope-2', title: 'Hope and faith' }))
  await screen.findByText('Hope and faith', { exact: false, selector: '[role=dialog] *' })
  expect(site.address()).toBe(`/series/${begun.uid}`)
  expect(field('Description').value).toBe('Ten minutes of words.')
  await press('Cancel')
  await press('Discard')
  await waitFor(() => expect(site.address()).toBe('/series/hope-2'))
})

test('another page leaves the dialog open', async () => {
  const site = await edit()
  enter('Title', 'Faith')
  await site.goTo('/about')
  await screen.findByRole('heading', { level: 1, name: 'Who We Are', hidden: true })
  expect(field('Title').value).toBe('Faith')
})

describe('words that were not saved', () => {
  test('return after a crash, with changes of others', async () => {
    await edit()
    enter('Description', 'Ten minutes of words.')
    crash()
    await db().series.put({ ...hope, rev: 4, title: 'Hope in hard times', description: 'Better words.' })
    await edit()
    await screen.findByText(/^Your words of .* are here again\.$/)
    await screen.findByText('Better words.', { exact: false, selector: '[role=dialog] *' })
    const shown = [field('Title').value, field('Description').value]
    expect(shown).toEqual(['Hope in hard times', 'Ten minutes of words.'])
    await userEvent.click(save())
    await waitFor(async () =>
      expect(await db().outbox.toArray()).toMatchObject([
        {
          baseRev: 3,
          base: { description: 'First words.' },
          patch: { description: 'Ten minutes of words.' },
        },
      ]),
    )
    await waitFor(() =>
      expect(Object.keys(localStorage).filter((name) => name.startsWith('draft:'))).toEqual([]),
    )
  })

  test('return to their author alone', async () => {
    await edit()
    enter('Title', 'Faith')
    crash()
    await edit(ruth)
    expect(field('Title').value).toBe('Hope')
  })

  test('Discard shows the row as it is now', async () => {
    await edit()
    enter('Title', 'Faith')
    crash()
    await db().series.put({ ...hope, rev: 4, description: 'Better words.' })
    await edit()
    await press('Discard')
    expect([field('Title').value, field('Description').value]).toEqual(['Hope', 'Better words.'])
    crash()
    await edit()
    expect(screen.queryByText(/are here again/)).toBeNull()
  })
})

test('an upgrade in another tab covers no unfinished form', async () => {
  await edit()
  enter('Title', 'Faith')
  act(() => reportTrouble('outdated'))
  await screen.findByText(/^The app was updated in another tab, and this page cannot save/)
  expect(screen.getAllByRole('dialog')).toHaveLength(1)
  expect(field('Title').value).toBe('Faith')
  expect(save().disabled).toBe(true)
  await press('Cancel')
  await press('Discard')
  await screen.findByRole('dialog', { name: 'The app was updated. Reload this page.' })
})

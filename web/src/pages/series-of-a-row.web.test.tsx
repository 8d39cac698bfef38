import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { Series } from '@fellowship/schema/series/series.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`
const member = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }
const aSeries = (n: number, given: Partial<Series> = {}): Series => ({
  uid: uid(100 + n),
  rev: n,
  slug: `series-${n}`,
  title: `Series ${n}`,
  description: '',
  teachings: [],
  imageUrl: null,
  ...given,
})
const hope = aSeries(1, { slug: 'hope', title: 'Hope in hard times', teachings: [uid(2), uid(99)] })

beforeEach(async () => {
  const db = appDatabase()
  await db.teachings.bulkPut(
    [1, 2].map((id) =>
      aTeaching({ id, uid: uid(id), rev: id, title: `Study ${id}`, date: `2026-0${id}-01` }),
    ),
  )
  await db.series.put(hope)
  await writeSyncState(db, { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
})

afterEach(async () => {
  deviceQueues().setUser(undefined)
  const db = appDatabase()
  await Promise.all([db.outbox.clear(), db.teachings.clear(), db.series.clear()])
})

const outbox = () => appDatabase().outbox.toArray()
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }))

/** Opens the dialog "Add to series" from the sheet of a row. */
async function chooseFor(title: string) {
  await testServer({})
  renderSite('/teaching', member)
  const [more] = await screen.findAllByRole('button', { name: `More for ${title}` })
  await userEvent.click(more!)
  await press('Add to series…')
  return screen.findByRole('dialog', { name: 'Add to series' })
}

describe('Add to series', () => {
  test('visitors see no "Add to series"', async () => {
    await testServer({})
    renderSite('/teaching')
    await press('More for Study 1')
    await screen.findByRole('button', { name: 'Add to favourites' })
    expect(screen.queryByRole('button', { name: 'Add to series…' })).toBeNull()
  })

  test('rejects a full series or a repeated teaching', async () => {
    const teachings = Array.from({ length: seriesLimits.teachings }, (_, n) => uid(1000 + n))
    await appDatabase().series.put(aSeries(2, { title: 'A full one', teachings }))
    await chooseFor('Study 2')
    await press(/^Hope in hard times This teaching is in it$/)
    await press(/^A full one It has 500 teachings/)
    expect(screen.getByRole('dialog', { name: 'Add to series' })).toBeTruthy()
    expect(await outbox()).toEqual([])
  })

  test('appends to a series and preserves deleted entries', async () => {
    await chooseFor('Study 1')
    await press(/^Hope in hard times 2 teachings$/)
    await waitFor(async () =>
      expect(await outbox()).toMatchObject([
        { kind: 'series', op: 'edit', uid: hope.uid, patch: { teachings: [uid(2), uid(99), uid(1)] } },
      ]),
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  test('begins a series with the teaching, and orders it', async () => {
    await chooseFor('Study 1')
    await press('New series')
    const dialog = await screen.findByRole('dialog', { name: 'New Series' })
    expect(within(dialog).getByText('Study 1')).toBeTruthy()
    await press('Save')
    expect(await within(dialog).findByText('A series needs a title.')).toBeTruthy()
    await userEvent.type(within(dialog).getByLabelText('Title'), 'Of grace')
    await userEvent.type(within(dialog).getByLabelText('Add teachings'), 'Study')
    await press(/^Add Study 2/)
    await press('Move up Study 2')
    expect(within(dialog).getByText('Study 2 is now 1 of 2')).toBeTruthy()
    await press('Save')
    await waitFor(async () =>
      expect(await outbox()).toMatchObject([
        { kind: 'series', op: 'create', patch: { title: 'Of grace', teachings: [uid(2), uid(1)] } },
      ]),
    )
  })

  test('search finds a series in a long list', async () => {
    await appDatabase().series.bulkPut(Array.from({ length: 12 }, (_, n) => aSeries(n + 2)))
    const dialog = await chooseFor('Study 1')
    const list = await within(dialog).findByRole('list', { name: 'Series' })
    expect(within(list).getAllByRole('button')).toHaveLength(8)
    expect(dialog.textContent).toContain('5 more: find them by words.')
    await userEvent.type(within(dialog).getByLabelText('Find a series'), 'nothing')
    await within(dialog).findByText('No series has these words in its title.')
    await userEvent.clear(within(dialog).getByLabelText('Find a series'))
    await userEvent.type(within(dialog).getByLabelText('Find a series'), '13')
    await press(/^Series 13/)
    await waitFor(async () => expect(await outbox()).toMatchObject([{ title: 'Series 13' }]))
  })
})

test('search lists matching series above the rows', async () => {
  await testServer({})
  const site = renderSite('/teaching?q=study')
  await screen.findByText('Search Results (2)')
  expect(screen.queryByRole('list', { name: 'Series found' })).toBeNull()
  const field = screen.getByRole('searchbox')
  await userEvent.clear(field)
  await userEvent.type(field, 'hard ho')
  const list = await screen.findByRole('list', { name: 'Series found' })
  // One of its two teachings was deleted.
  await userEvent.click(within(list).getByRole('link', { name: 'Series: Hope in hard times, 1 teaching' }))
  await screen.findByRole('heading', { name: 'Hope in hard times', level: 1 })
  expect(site.address()).toBe('/series/hope')
})

test('prints all rows of a long series', async () => {
  await testServer({})
  const ids = Array.from({ length: 60 }, (_, n) => n + 1)
  await appDatabase().teachings.bulkPut(
    ids.map((id) => aTeaching({ id, uid: uid(id), rev: id, title: `Study ${id}` })),
  )
  await appDatabase().series.put(aSeries(3, { slug: 'long', teachings: ids.map(uid) }))
  renderSite('/series/long')
  await screen.findByText('60 teachings')
  const shown = () => screen.queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)
  // The number is shown before the rows.
  await waitFor(() => expect(shown()).toHaveLength(20))
  expect(document.querySelector('main li h3')!.closest('ol')).toBeTruthy()
  window.dispatchEvent(new Event('beforeprint'))
  expect(shown()).toEqual(ids.map((id) => `Study ${id}`))
  expect(screen.queryByRole('button', { name: 'Load More Teaching' })).toBeNull()
})

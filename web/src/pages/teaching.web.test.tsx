import { aTeaching } from '@fellowship/schema/testing/builders'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { appendEdit } from '@fellowship/sync/client/outbox/outbox'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'
// Imported in advance, as the first test would otherwise wait for these lazy parts.
import './teaching.tsx'
import './above-library.tsx'

const teaching = (id: number, change = {}) =>
  aTeaching({
    id,
    uid: `6f1c1f0e-2b7a-4c58-a1de-${String(id).padStart(12, '0')}`,
    rev: id,
    title: `Study ${id}`,
    date: `2026-0${id}-01`,
    ...change,
  })
const member = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }
const field = (label: string) =>
  within(screen.getByRole('dialog', { name: 'Edit Sermon' })).getByLabelText<HTMLInputElement>(label)
/** The titles behind the dialog, which queries by role do not find. */
const titles = () => [...document.querySelectorAll('li h3')].map((heading) => heading.textContent)

beforeEach(async () => {
  await appDatabase().teachings.bulkPut([1, 2, 3, 4, 5].map((id) => teaching(id)))
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
})

afterEach(async () => {
  deviceQueues().setUser(undefined)
  await Promise.all([appDatabase().outbox.clear(), appDatabase().teachings.clear()])
})

/** Edits the oldest of the five rows of the first page. */
async function editTheLast() {
  await testServer({})
  renderSite('/teaching', member)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Study 1' }))
  await screen.findByRole('dialog', { name: 'Edit Sermon' })
  fireEvent.change(field('Title'), { target: { value: 'Written for ten minutes' } })
}

describe('a library that changes while a teaching is edited', () => {
  test('keeps the input when its row leaves the page', async () => {
    await editTheLast()
    await act(() => appDatabase().teachings.put(teaching(6)))
    await waitFor(() => expect(titles()).toEqual(['Study 6', 'Study 5', 'Study 4', 'Study 3', 'Study 2']))
    expect(field('Title').value).toBe('Written for ten minutes')
  })

  test('a title edit preserves a concurrent speaker edit', async () => {
    await editTheLast()
    await act(() => appDatabase().teachings.put(teaching(1, { rev: 9, speaker: 'Jane Smith' })))
    await waitFor(() => expect(document.body.textContent).toContain('Jane Smith'))
    await userEvent.click(screen.getByRole('button', { name: 'Update' }))
    await waitFor(async () => expect(await appDatabase().outbox.count()).toBe(1))
    const [entry] = await appDatabase().outbox.toArray()
    expect(entry).toMatchObject({ baseRev: 1, patch: { title: 'Written for ten minutes' } })
    expect(entry!.patch).not.toHaveProperty('speaker')
  })
})

test('applies the search to the saved recordings', async () => {
  await testServer({})
  const site = renderSite('/teaching?q=study&speaker=John+Smith')
  await userEvent.click(await screen.findByRole('link', { name: /^Saved/ }))
  await waitFor(() => expect(site.address()).toContain('show=saved'))
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('study')
  expect(site.address()).toContain('speaker=John')
})

test('keeps the search when signing in to send blocked entries', async () => {
  await testServer({})
  const person = { userId: member.id, now: 1 }
  const text = { title: 'Other', speaker: 'John Smith', date: '2026-01-01', scriptureReference: '' }
  await appendEdit(appDatabase(), teaching(1), text, person)
  await appDatabase().outbox.toCollection().modify({ state: 'blocked_auth' })
  const site = renderSite('/teaching?q=study')
  await userEvent.click(
    await within(await screen.findByRole('main')).findByRole('button', { name: 'Sign in' }),
  )
  await screen.findByRole('dialog', { name: 'Sign In' })
  expect(site.address()).toContain('q=study')
})

test('the shortcut to the upload asks to sign in first', async () => {
  await testServer({})
  const site = renderSite('/teaching?focus=upload')
  await waitFor(() => expect(site.address()).toBe('/teaching?signin=&return=%2Fteaching%3Ffocus%3Dupload'))
  expect(screen.queryByRole('region', { name: 'Upload Teaching' })).toBeNull()
  await site.setUser(member)
  const panel = await screen.findByRole('region', { name: 'Upload Teaching' })
  await waitFor(() => expect(document.activeElement?.contains(panel)).toBe(true))
})

test('shows its tagline with the passage', async () => {
  await testServer({})
  renderSite('/teaching')
  const heading = await screen.findByRole('heading', { name: 'Teaching', level: 1 })
  expect(heading.closest('.page')!.textContent).toContain('Speaking the truth in love. (Ephesians 4:15)')
})

describe('texts to check', () => {
  const { id, uid, title, speaker, date, scriptureReference } = teaching(3)
  const draft = { id, uid, title, speaker, date, scriptureReference, source: 'machine', savedBy: 'Machine' }
  const drafts = (count: number) => ({
    [`GET ${transcripts.drafts.path}`]: () => ({ body: { count, drafts: count > 0 ? [draft] : [] } }),
  })

  test('are not mentioned to people without any, or signed out', async () => {
    const asked = await testServer(drafts(0))
    const site = renderSite('/teaching', member)
    await waitFor(() => expect(asked.map(({ path }) => path)).toContain(transcripts.drafts.path))
    await site.setUser(null)
    await waitFor(() => expect(titles()).toHaveLength(5))
    expect(screen.queryByText(/to check/)).toBeNull()
  })

  test('lead to their teachings', async () => {
    await testServer(drafts(4))
    renderSite('/teaching', member)
    const list = await screen.findByRole('region', { name: 'Texts to check' })
    expect(list.textContent).toMatch(/^4 texts to check.*written down by a machine.*And 3 more/)
    expect(within(list).getByRole<HTMLAnchorElement>('link').href).toContain('study-3')
  })
})

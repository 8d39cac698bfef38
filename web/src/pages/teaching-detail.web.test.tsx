import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'
// Imported in advance, as the first test would otherwise wait for these lazy parts.
import './by-address.tsx'
import './teaching.tsx'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-00000000000${n}`
const newest = aTeaching({ id: 2, uid: uid(2), rev: 2, title: 'Preached today', date: '2026-11-22' })
const known = aTeaching({ id: 1, uid: uid(1), rev: 1, title: 'Known for long', date: '2026-11-15' })
const notFound = /^We can’t find that teaching\./
const noAnswer = 'This teaching is not on your device yet.'

const delta = (rows: object[]) => ({
  body: {
    mode: 'delta',
    changes: rows.map((row) => ({ kind: 'teaching', uid: uid(2), rev: 2, op: 'put', row })),
    next: 'y',
    more: false,
    head: { rev: 2 },
    serverTime: '2026-11-22T00:00:00.000Z',
    minClientSchema: 1,
  },
})

/** A server whose sync response is held back until the test calls `respond`. */
async function heldServer(since = 'x') {
  const syncPath = `/api/sync?since=${since}&schema=2`
  let respond: (answer: { status?: number; body: unknown }) => void = () => undefined
  const answer = new Promise<{ status?: number; body: unknown }>((resolve) => (respond = resolve))
  const requests = await testServer({
    // If the page's own first pull comes before the one of the link, the latter continues from its cursor.
    'GET /api/sync?since=y&schema=2': () => delta([]),
    [`GET ${syncPath}`]: () => answer,
  })
  const isRequested = () => waitFor(() => expect(requests.some(({ path }) => path === syncPath)).toBe(true))
  return { respond, isRequested }
}

/** Records all text that was ever rendered, even for one frame. */
function recordText(): () => string {
  let said = ''
  new MutationObserver(() => (said += document.body.textContent)).observe(document.body, {
    childList: true,
    subtree: true,
  })
  return () => said
}

beforeEach(async () => {
  await appDatabase().teachings.clear()
  await appDatabase().teachings.put(known)
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
})

const heading = (name: string) => screen.findByRole('heading', { name, level: 1 })
const own = (n: number, rest = '') => `/teaching/${rest}${uid(n).slice(-12)}`

describe('a teaching that this device does not have', () => {
  test('an unknown teaching shows the 404 page', async () => {
    const { respond, isRequested } = await heldServer()
    renderSite(own(2))
    await isRequested()
    expect(screen.queryByText(notFound)).toBeNull()
    respond(delta([]))
    await heading('404 Page Not Found')
    expect(screen.getByText(notFound)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Find a teaching' }).getAttribute('href')).toBe('/teaching')
  })

  test('an absent teaching shows a note if the server fails', async () => {
    const { respond } = await heldServer()
    renderSite(own(2))
    respond({ status: 503, body: { error: 'Away', code: 'unavailable' } })
    await heading(noAnswer)
    expect(screen.queryByText(notFound)).toBeNull()
  })

  test('shows an absent teaching when the server sends it', async () => {
    const { respond, isRequested } = await heldServer()
    const said = recordText()
    const site = renderSite(own(2))
    await isRequested()
    respond(delta([newest]))
    await heading('Preached today')
    expect(said()).not.toContain('We can’t find that teaching.')
    await waitFor(() => expect(site.address()).toBe(own(2, '2026-11-22-preached-today-')))
  })
})

test('an invalid teaching address shows the 404 page', async () => {
  await testServer({})
  renderSite('/teaching/known-for-long')
  await heading('404 Page Not Found')
})

test.each([
  [`/teaching?t=${uid(1)}`, ''],
  [`/teaching?t=${uid(1).toUpperCase()}&at=90`, '?at=90'],
  [`${own(1, '2020-01-01-an-earlier-title-')}?at=90`, '?at=90'],
  [own(1), ''],
])('%s redirects to the address of the teaching', async (address, query) => {
  await testServer({})
  const site = renderSite(address)
  await heading('Known for long')
  await waitFor(() => expect(site.address()).toBe(`${own(1, '2026-11-15-known-for-long-')}${query}`))
  expect(document.title).toContain('Known for long')
  expect(screen.queryByText('The link you followed begins at 1:30.') !== null).toBe(query !== '')
})

test('links neighbours, speaker and book', async () => {
  await testServer({})
  await appDatabase().teachings.bulkPut([
    newest,
    aTeaching({ id: 3, uid: uid(3), title: 'Long ago', date: '2020-01-05', speaker: 'Jane Doe' }),
  ])
  const site = renderSite(own(1))
  await heading('Known for long')
  const links = (name: string) => {
    const region = screen.queryByRole('navigation', { name }) ?? screen.getByRole('region', { name })
    return within(region)
      .getAllByRole('link')
      .map(({ textContent }) => textContent)
  }
  expect(links('Previous and next')).toEqual(['Long ago', 'Preached today'])
  expect(links('More by John Smith')).toEqual(['Preached today', 'All teaching by John Smith'])
  expect(links('More on Romans')).toEqual(['Preached today', 'Long ago', 'All teaching on Romans'])
  const before = within(screen.getByRole('navigation', { name: 'Previous and next' }))
  await userEvent.click(before.getByRole('link', { name: 'Long ago' }))
  await heading('Long ago')
  expect(site.address()).toBe(own(3, '2020-01-05-long-ago-'))
})

test('quotes permitted passages with the publisher’s line', async () => {
  await testServer({})
  await appDatabase().teachings.put({ ...known, scriptureReference: 'Romans 8:1; John 3:16' })
  await appDatabase().passages.put({
    uid: uid(9),
    rev: 1,
    reference: 'Romans 8:1',
    text: 'No condemnation.',
    translation: 'King James Version',
    copyrightLine: 'Line.',
  })
  renderSite(own(1))
  await screen.findByText('“No condemnation.”')
  expect(screen.getAllByRole('figure')).toHaveLength(1)
  expect(screen.getByRole('figure').textContent).toBe('“No condemnation.”Romans 8:1Line.')
})

test('the page has one player, which takes the focus, and its notes', async () => {
  await testServer({})
  renderSite(own(1))
  await userEvent.click(await screen.findByRole('button', { name: 'Play Known for long' }))
  const player = await screen.findByRole('region', { name: 'Player: Known for long' })
  const controls = screen.getAllByRole('button', { name: /^(Play|Pause|Loading, pause)( Known for long)?$/ })
  expect(controls.every((control) => player.contains(control))).toBe(true)
  expect(controls).toContain(document.activeElement)
  expect(within(player).getByRole('button', { name: 'Open the large player, with notes' })).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Write a note' })).toBeTruthy()
})

test('the neighbours in a series replace those in time', async () => {
  await testServer({})
  await appDatabase().teachings.put(newest)
  const all = { uid: uid(7), rev: 1, slug: 'of-hope', title: 'Of hope', description: '', imageUrl: null }
  await appDatabase().series.put({ ...all, teachings: [uid(1), newest.uid] })
  renderSite(own(1))
  expect(await screen.findByRole('link', { name: 'Of hope, part 1 of 2' })).toBeTruthy()
  expect(screen.queryByRole('navigation', { name: 'Previous and next' })).toBeNull()
  expect(screen.getByText('Next in the series')).toBeTruthy()
})

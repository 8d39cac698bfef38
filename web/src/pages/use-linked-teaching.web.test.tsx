import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/replica-shape'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-00000000000${n}`
const newest = aTeaching({ id: 2, uid: uid(2), rev: 2, title: 'Preached today', date: '2026-11-22' })
const known = aTeaching({ id: 1, uid: uid(1), rev: 1, title: 'Known for long', date: '2026-11-15' })
const notFound = 'We can’t find that teaching.'
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
  const syncPath = `/api/sync?since=${since}&schema=1`
  let respond: (answer: { status?: number; body: unknown }) => void = () => undefined
  const answer = new Promise<{ status?: number; body: unknown }>((resolve) => (respond = resolve))
  const requests = await testServer({
    // The page's own first pull may come before the one of the link, which then goes on from its cursor.
    'GET /api/sync?since=y&schema=1': () => delta([]),
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

describe('a link to a teaching newer than the replica', () => {
  test('shows no message during the request, then scrolls to it', async () => {
    const { respond, isRequested } = await heldServer()
    const site = renderSite(`/teaching?t=${uid(2)}`)
    await isRequested()
    // The URL is cleared once the whole replica was searched.
    await waitFor(() => expect(site.address()).toBe('/teaching'))
    expect(screen.queryByText(notFound)).toBeNull()
    respond(delta([newest]))
    expect((await screen.findAllByText('Preached today')).length).toBeGreaterThan(0)
    await screen.findByText('The link you followed leads here.')
    expect(screen.queryByText(notFound)).toBeNull()
  })

  test('shows no message while the pulled rows are read', async () => {
    const { respond, isRequested } = await heldServer()
    const said = recordText()
    const site = renderSite(`/teaching?t=${uid(2)}`)
    await isRequested()
    await waitFor(() => expect(site.address()).toBe('/teaching'))
    respond(delta([newest]))
    await screen.findByText('The link you followed leads here.')
    expect(said()).not.toContain(notFound)
  })

  test('shows that it is not on this device when the server responds 503', async () => {
    const { respond } = await heldServer()
    renderSite(`/teaching?t=${uid(2)}`)
    respond({ status: 503, body: { error: 'Away', code: 'unavailable' } })
    expect(await screen.findByText(noAnswer)).toBeTruthy()
    expect(screen.queryByText(notFound)).toBeNull()
  })
})

test('shows that the teaching is not found when the server does not have it', async () => {
  const { respond } = await heldServer()
  renderSite(`/teaching?t=${uid(2)}`)
  respond(delta([]))
  expect(await screen.findByText(notFound)).toBeTruthy()
})

test('pulls again when the same link is opened again, with no message meanwhile', async () => {
  const first = await heldServer()
  const site = renderSite(`/teaching?t=${uid(2)}`)
  first.respond(delta([]))
  await screen.findByText(notFound)
  const { respond, isRequested } = await heldServer('y')
  await site.goTo(`/teaching?t=${uid(2)}`)
  await isRequested()
  await waitFor(() => expect(site.address()).toBe('/teaching'))
  expect(screen.queryByText(notFound)).toBeNull()
  respond(delta([newest]))
  await screen.findByText('The link you followed leads here.')
})

test('matches an upper-case uid', async () => {
  await testServer({})
  renderSite(`/teaching?t=${uid(1).toUpperCase()}`)
  expect(await screen.findByText('The link you followed leads here.')).toBeTruthy()
})

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
const gone = 'We can’t find that teaching.'
const unheard = 'This teaching is not on your device yet.'

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

/** A server whose word on what is new waits until the test gives it. */
async function heldServer(since = 'x') {
  const syncPath = `/api/sync?since=${since}&schema=1`
  let say: (answer: { status?: number; body: unknown }) => void = () => undefined
  const answer = new Promise<{ status?: number; body: unknown }>((resolve) => (say = resolve))
  const asked = await testServer({ [`GET ${syncPath}`]: () => answer })
  const isAsked = () => waitFor(() => expect(asked.some(({ path }) => path === syncPath)).toBe(true))
  return { say, isAsked }
}

/** Every sentence that was on the page, however shortly. */
function allThatIsSaid(): () => string {
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
  test('shows no message while the server is asked, then scrolls to it', async () => {
    const { say, isAsked } = await heldServer()
    const site = renderSite(`/teaching?t=${uid(2)}`)
    await isAsked()
    // By now the page has looked through all that the device has.
    await waitFor(() => expect(site.address()).toBe('/teaching'))
    expect(screen.queryByText(gone)).toBeNull()
    say(delta([newest]))
    expect((await screen.findAllByText('Preached today')).length).toBeGreaterThan(0)
    await screen.findByText('The link you followed leads here.')
    expect(screen.queryByText(gone)).toBeNull()
  })

  test('shows no message while its rows are read', async () => {
    const { say, isAsked } = await heldServer()
    const said = allThatIsSaid()
    const site = renderSite(`/teaching?t=${uid(2)}`)
    await isAsked()
    await waitFor(() => expect(site.address()).toBe('/teaching'))
    say(delta([newest]))
    await screen.findByText('The link you followed leads here.')
    expect(said()).not.toContain(gone)
  })

  test('says that it is not on this device where the server cannot be reached', async () => {
    const { say } = await heldServer()
    renderSite(`/teaching?t=${uid(2)}`)
    say({ status: 503, body: { error: 'Away', code: 'unavailable' } })
    expect(await screen.findByText(unheard)).toBeTruthy()
    expect(screen.queryByText(gone)).toBeNull()
  })
})

test('says that the teaching is not found where the server does not have it', async () => {
  const { say } = await heldServer()
  renderSite(`/teaching?t=${uid(2)}`)
  say(delta([]))
  expect(await screen.findByText(gone)).toBeTruthy()
})

test('asks again when the same link is opened again, without a message meanwhile', async () => {
  const first = await heldServer()
  const site = renderSite(`/teaching?t=${uid(2)}`)
  first.say(delta([]))
  await screen.findByText(gone)
  const { say, isAsked } = await heldServer('y')
  await site.goTo(`/teaching?t=${uid(2)}`)
  await isAsked()
  await waitFor(() => expect(site.address()).toBe('/teaching'))
  expect(screen.queryByText(gone)).toBeNull()
  say(delta([newest]))
  await screen.findByText('The link you followed leads here.')
})

test('matches an upper-case uid', async () => {
  await testServer({})
  renderSite(`/teaching?t=${uid(1).toUpperCase()}`)
  expect(await screen.findByText('The link you followed leads here.')).toBeTruthy()
})

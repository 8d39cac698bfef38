import { aUser } from '@fellowship/schema/testing/builders'
import { keyOfChange, type ListeningEvent } from '@fellowship/schema/listening/listening.schema'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readOwner, show } from '@fellowship/sync/client/listening/listening-accounts'
import { stampEvent } from '@fellowship/sync/protocol/listening-changes'
import { writeNote } from '@fellowship/sync/client/listening/notes.store'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { renderSite } from '../../testing/render-site.tsx'
import { testServer, type ReceivedRequest } from '../../testing/test-server.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const user = aUser({ id: 7, name: 'Aroha' })

beforeEach(async () => {
  // Each test begins with a new page.
  pageQueues().setUser(undefined)
  queryClient.clear()
  localStorage.clear()
  const db = appDatabase()
  await db.transaction('rw', [...db.listeningTables, ...db.unsentTables, db.inactiveListening], async () => {
    for (const table of [...db.listeningTables, ...db.unsentTables, db.inactiveListening]) await table.clear()
  })
})

/** A server that stores the rows of one account, and rejects changes if `isReachable` returns false. */
async function server({
  on = false,
  isReachable = () => true,
}: { on?: boolean; isReachable?: () => boolean } = {}) {
  const state = { on, rows: new Map<string, unknown>() }
  const pull = () => ({
    body: state.on
      ? {
          on: true,
          anew: false,
          changes: [],
          next: '1.1.6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01',
          more: false,
          held: state.rows.size,
          serverTime: Date.now(),
        }
      : { on: false, held: state.rows.size, serverTime: Date.now() },
  })
  const push = ({ body }: ReceivedRequest) => {
    if (!isReachable()) return { status: 503, body: { code: 'unavailable', error: 'Not now.' } }
    const { events } = JSON.parse(body) as { events: ListeningEvent[] }
    for (const event of events) state.rows.set(keyOfChange(event), event)
    const results = events.map((event) => stampEvent(event, undefined, Date.now()))
    return { body: { results, held: state.rows.size } }
  }
  const choose = ({ body }: ReceivedRequest) => {
    const wanted = JSON.parse(body) as { on: boolean; remove?: boolean }
    state.on = wanted.on
    if (wanted.remove) state.rows.clear()
    return { body: { on: state.on, held: state.rows.size } }
  }
  const signedIn = { body: { user, registration: 'closed' } }
  await testServer({
    'GET /api/auth/user': () => signedIn,
    'POST /api/auth/logout': () => ({ body: { success: true } }),
    'GET /api/listening': pull,
    'GET /api/listening?since=1.1.6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01': pull,
    'POST /api/listening/events': push,
    'PUT /api/listening/choice': choose,
  })
  return state
}

const theSwitch = () => screen.findByRole<HTMLInputElement>('switch', { name: texts.switchLabel })
const wrote = () => writeNote({ uid, seconds: 60, text: 'Look up' })
const notes = () => appDatabase().notes.count()
async function pressSignOut() {
  await userEvent.click((await screen.findAllByRole('button', { name: /Aroha/ }))[0]!)
  await userEvent.click(await screen.findByRole('button', { name: 'Sign Out' }))
}

test('shows no switch when signed out', async () => {
  await testServer({})
  renderSite('/listening')
  expect(await screen.findByText(`${texts.onDevice} ${texts.signInToKeep}`)).toBeTruthy()
  expect(screen.queryByRole('switch')).toBeNull()
})

test('sends nothing until the switch is pressed', async () => {
  await wrote()
  const state = await server()
  renderSite('/listening', 'ask')
  expect((await theSwitch()).checked).toBe(false)
  expect(screen.getByText(texts.whatIsKept)).toBeTruthy()
  expect(state.rows.size).toBe(0)
  await userEvent.click(await theSwitch())
  await waitFor(() => expect(state.rows.size).toBe(1))
  expect(await screen.findByText('Up to date, just now.')).toBeTruthy()
  expect(screen.getByText(texts.withAccount)).toBeTruthy()
  expect(screen.getByText(texts.deleteFirst)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Delete all of it from this device' })).toBeNull()
})

test('the switch stays off if the server refuses', async () => {
  await testServer({
    'GET /api/auth/user': () => ({ body: { user, registration: 'closed' } }),
    'GET /api/listening': () => ({ body: { on: false, held: 0, serverTime: Date.now() } }),
    'PUT /api/listening/choice': () => ({ status: 503, body: { code: 'unavailable', error: 'Not now.' } }),
  })
  renderSite('/listening', 'ask')
  await userEvent.click(await theSwitch())
  expect(await screen.findByText(texts.notTurned)).toBeTruthy()
  expect((await theSwitch()).checked).toBe(false)
})

test('shows how many changes wait if the server refuses', async () => {
  let isReachable = true
  await server({ on: true, isReachable: () => isReachable })
  renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  isReachable = false
  await wrote()
  expect(await screen.findByText(`${texts.waiting(1)}.`, { exact: false })).toBeTruthy()
})

test('turning it off offers deletion on the server', async () => {
  await wrote()
  const state = await server()
  renderSite('/listening', 'ask')
  await userEvent.click(await theSwitch())
  await waitFor(() => expect(state.rows.size).toBe(1))
  await userEvent.click(await theSwitch())
  const dialog = within(await screen.findByRole('dialog', { name: texts.offTitle }))
  await userEvent.click(dialog.getByRole('button', { name: 'Turn it off, and leave it on the server' }))
  expect(await screen.findByText(texts.stillHeld(1))).toBeTruthy()
  expect((await theSwitch()).checked).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Delete it from the server' }))
  await waitFor(() => expect(screen.queryByText(texts.stillHeld(1))).toBeNull())
  expect([state.on, state.rows.size, await notes()]).toEqual([false, 0, 1])
})

test('sends anonymous listening only after a press', async () => {
  await wrote()
  const state = await server({ on: true })
  renderSite('/listening', 'ask')
  expect(await screen.findByText(texts.anonymous)).toBeTruthy()
  expect([state.rows.size, await notes()]).toEqual([0, 0])
  await userEvent.click(screen.getByRole('button', { name: 'Add it to mine' }))
  await waitFor(() => expect(state.rows.size).toBe(1))
  expect([await notes(), screen.queryByText(texts.anonymous)]).toEqual([1, null])
})

test('the person stays signed in if removing fails', async () => {
  await server({ on: true })
  renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  vi.spyOn(appDatabase().meta, 'delete').mockRejectedValueOnce(lost)
  const setUser = vi.spyOn(pageQueues(), 'setUser')
  await userEvent.click(dialog.getByRole('button', { name: 'Remove it from this device, and sign out' }))
  expect(await screen.findByText('Logout failed')).toBeTruthy()
  expect(setUser.mock.calls).toEqual([[undefined], [7]])
  expect(screen.getByRole('button', { name: 'Sign Out' })).toBeTruthy()
})

test('signing out removes listening data on request', async () => {
  await server({ on: true })
  renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  await wrote()
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  await userEvent.click(dialog.getByRole('button', { name: 'Remove it from this device, and sign out' }))
  expect(await screen.findByText('Logout successful')).toBeTruthy()
  expect([await notes(), await readOwner(appDatabase())]).toEqual([0, 0])
})

test('removing unsent data needs a second press', async () => {
  let isReachable = true
  await server({ on: true, isReachable: () => isReachable })
  renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  isReachable = false
  await wrote()
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  const remove = dialog.getByRole('button', { name: 'Remove it from this device, and sign out' })
  await userEvent.click(remove)
  expect(await dialog.findByText(texts.wouldBeLost(1))).toBeTruthy()
  expect(await notes()).toBe(1)
  await userEvent.click(remove)
  expect(await screen.findByText('Logout successful')).toBeTruthy()
  expect(await notes()).toBe(0)
})

test('hides listening data left by another person', async () => {
  await server({ on: true })
  const site = renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  await wrote()
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  await userEvent.click(dialog.getByRole('button', { name: 'Let it stay, and sign out' }))
  expect(await screen.findByText('Logout successful')).toBeTruthy()
  await site.goTo('/listening')
  expect(await screen.findByText(texts.ofAnother, { exact: false })).toBeTruthy()
  expect(await notes()).toBe(1)
  const db = appDatabase()
  await db.transaction('rw', [...db.listeningTables, ...db.unsentTables, db.inactiveListening], () =>
    show(db, 0),
  )
  expect(await notes()).toBe(0)
})

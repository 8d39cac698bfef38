import { aTeaching, aUser } from '@fellowship/schema/testing/builders'
import { keyOfChange, type ListeningEvent } from '@fellowship/schema/listening/listening.schema'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readAnonymous } from '@fellowship/sync/client/listening/anonymous.store'
import { readOwner, startSession } from '@fellowship/sync/client/listening/listening-accounts'
import { stampEvent } from '@fellowship/sync/protocol/listening-changes'
import { exportListening } from '@fellowship/sync/client/listening/listening-file.store'
import { notePosition, writeMark } from '@fellowship/sync/client/listening/listening.store'
import { writeNote } from '@fellowship/sync/client/listening/notes.store'
import { writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { keepAsLeft } from '../../lib/left-moments.ts'
import { readStored } from '../../lib/site-storage.ts'
import { queryClient } from '../../lib/query-client.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { renderSite } from '../../testing/render-site.tsx'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer, type ReceivedRequest } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { AnonymousOffer } from './anonymous-offer.tsx'
import { ListeningFiles } from './listening-files.tsx'

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

/** Once the server has answered whether it is on. */
async function theSwitch() {
  const found = await screen.findByRole<HTMLInputElement>('switch', { name: texts.switchLabel })
  await waitFor(() => expect(found.getAttribute('aria-disabled')).toBe('false'))
  return found
}
const ofUser = () => startSession(appDatabase(), user.id)
const wrote = () => writeNote({ uid, seconds: 60, text: 'Look up' })
/** Stores a place as a page does that ends. */
const leaves = () => keepAsLeft(uid, { seconds: 60, duration: 2_400, at: 1_000 })
const left = () => readStored('listening-as-left')
const notes = () => appDatabase().notes.count()
async function pressSignOut() {
  await userEvent.click((await screen.findAllByRole('button', { name: /Aroha/ }))[0]!)
  await userEvent.click(await screen.findByRole('button', { name: 'Sign Out' }))
}

test('shows no switch when signed out', async () => {
  await testServer({})
  renderSite('/listening')
  expect(await screen.findByText(`${texts.onDevice} ${texts.signInToKeep}`)).toBeTruthy()
  expect(screen.queryByRole('switch', { name: texts.switchLabel })).toBeNull()
})

test('sends nothing until the switch is pressed', async () => {
  await ofUser()
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

test('ignores a second press on the pending switch', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const asked = await testServer({
    'GET /api/auth/user': () => ({ body: { user, registration: 'closed' } }),
    'GET /api/listening': () => ({ body: { on: false, held: 0, serverTime: Date.now() } }),
    'PUT /api/listening/choice': async () => {
      await held
      return { status: 503, body: { code: 'unavailable', error: 'Not now.' } }
    },
  })
  const choices = () => asked.filter(({ path }) => path === '/api/listening/choice').length
  renderSite('/listening', 'ask')
  const found = await theSwitch()
  await userEvent.click(found)
  await waitFor(() => expect(choices()).toBe(1))
  await userEvent.click(found)
  answer()
  expect(await screen.findByText(texts.notTurned)).toBeTruthy()
  await theSwitch()
  expect(choices()).toBe(1)
})

test('exports all of it, as text and for an import', async () => {
  const teaching = aTeaching({ uid, title: 'The True Vine', speaker: 'John Smith', date: '2026-11-22' })
  await appDatabase().teachings.put(teaching)
  const gone = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'
  await writeNote({ uid, seconds: 60, text: 'Look up\nto Him' })
  await writeMark(uid, 'favourite', true)
  await writeMark(gone, 'heard', true)
  await notePosition(uid, { seconds: 90, duration: 2400, at: 1_000 })
  await writeUpNext({ type: 'addToEnd', uids: [uid] })
  const made: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (made.push(blob as Blob), 'blob:made'))
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  render(
    <SignedIn>
      <ListeningFiles onDelete={() => undefined} />
    </SignedIn>,
  )
  for (const name of ['Export as text', 'Export'])
    await userEvent.click(await screen.findByRole('button', { name }))
  await waitFor(() =>
    expect(names.map((name) => name.replace(/-\d[\d-]+/, ' '))).toEqual([
      'my-listening .txt',
      'my-listening .json',
    ]),
  )
  vi.restoreAllMocks()
  const named = 'The True Vine, John Smith, 2026-11-22'
  const [, ...parts] = (await made[0]!.text()).trimEnd().split('\r\n\r\n')
  expect(parts.map((part) => part.split('\r\n'))).toEqual([
    ['Up next', `  ${named}`],
    ['Favourites', `  ${named}`],
    ['Notes', `  ${named}, at 1:00:`, '    Look up', '    to Him'],
    ['Heard', `  No longer in the library (${gone})`],
    ['Places', `  ${named}: 1:30 of 40:00`],
  ])
  await appDatabase().notes.clear()
  const choose = async (content: BlobPart, size?: number) => {
    const file = new File([content], 'a.json', { type: 'application/json' })
    if (size !== undefined) Object.defineProperty(file, 'size', { value: size })
    await userEvent.upload(screen.getByLabelText('File to import'), file)
  }
  await choose('{}', 20_000_001)
  expect((await screen.findByRole('alert')).textContent).toMatch(/larger than 20 MB/)
  await choose(await made[1]!.text())
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(texts.imported(1)))
  await appDatabase().teachings.clear()
})

test('imports a file and shows how much was new', async () => {
  await wrote()
  const exported = new File([JSON.stringify(await exportListening())], 'a.json', { type: 'application/json' })
  await appDatabase().notes.clear()
  render(
    <SignedIn>
      <ListeningFiles onDelete={() => undefined} />
    </SignedIn>,
  )
  await userEvent.upload(await screen.findByLabelText('File to import'), exported)
  expect(await screen.findByText(texts.imported(1))).toBeTruthy()
  await userEvent.upload(screen.getByLabelText('File to import'), exported)
  expect(await screen.findByText(texts.imported(0))).toBeTruthy()
})

test('a confirmed deletion closes the player first', async () => {
  await wrote()
  const before: Promise<number>[] = []
  render(
    <SignedIn>
      <ListeningFiles onDelete={() => before.push(notes())} />
    </SignedIn>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Delete all of it from this device' }))
  expect(before).toEqual([])
  await userEvent.click(await screen.findByRole('button', { name: 'Delete all of it' }))
  await waitFor(async () => expect(await notes()).toBe(0))
  expect(await Promise.all(before)).toEqual([1])
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
  await ofUser()
  await wrote()
  const state = await server()
  renderSite('/listening', 'ask')
  await userEvent.click(await theSwitch())
  await waitFor(() => expect(state.rows.size).toBe(1))
  await userEvent.click(await theSwitch())
  const dialog = within(await screen.findByRole('dialog', { name: texts.offTitle }))
  await userEvent.click(dialog.getByRole('button', { name: 'Turn it off, and leave it on the server' }))
  expect(await screen.findByText(texts.stillHeld(1))).toBeTruthy()
  expect(await screen.findByText(texts.turnedOff(1))).toBeTruthy()
  expect(await screen.findByText(texts.sinceTurnedOff)).toBeTruthy()
  expect([screen.queryByText(texts.ofUser), screen.queryByText(texts.turnedOff(0))]).toEqual([null, null])
  expect((await theSwitch()).checked).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Delete it from the server' }))
  await waitFor(() => expect(screen.queryByText(texts.stillHeld(1))).toBeNull())
  expect(await screen.findByText(texts.ofUser)).toBeTruthy()
  expect(await screen.findByText(texts.turnedOff(0))).toBeTruthy()
  expect([state.on, state.rows.size, await notes()]).toEqual([false, 0, 1])
})

test.each([true, false])('lists anonymous listening before a press adds it (kept: %s)', async (on) => {
  await wrote()
  const state = await server({ on })
  renderSite('/listening', 'ask')
  expect(await screen.findByText(texts.anonymous)).toBeTruthy()
  expect(screen.getByText('1 note')).toBeTruthy()
  expect(screen.getByText(/^Note, \d+ \w+ \d{4}, .*: “Look up”$/)).toBeTruthy()
  expect([state.rows.size, await notes()]).toEqual([0, 0])
  const add = screen.getByRole('button', { name: 'Add it to mine' })
  fireEvent.click(add)
  expect(add.getAttribute('aria-disabled')).toBe('true')
  await waitFor(() => expect(screen.queryByText(texts.anonymous)).toBeNull())
  expect(await notes()).toBe(1)
  if (on) await waitFor(() => expect(state.rows.size).toBe(1))
  else expect(state.rows.size).toBe(0)
})

test('anonymous listening stays offered if it cannot be added', async () => {
  await wrote()
  await ofUser()
  render(
    <SignedIn>
      <AnonymousOffer userId={user.id} />
    </SignedIn>,
  )
  const add = await screen.findByRole('button', { name: 'Add it to mine' })
  const write = vi.spyOn(appDatabase(), 'transaction')
  write.mockRejectedValueOnce(new Error('The disk is full.') as never)
  await userEvent.click(add)
  await waitFor(() =>
    expect(toastStore.snapshot()).toMatchObject({ title: texts.notTurned, kind: 'destructive' }),
  )
  await waitFor(() => expect(add.getAttribute('aria-disabled')).toBeNull())
  expect([await notes(), await readAnonymous()]).toMatchObject([0, [{ kind: 'note' }]])
  write.mockRestore()
})

test('announces that anonymous listening is deleted too', async () => {
  await wrote()
  await server()
  renderSite('/listening', 'ask')
  await screen.findByText(texts.anonymous)
  await userEvent.click(screen.getByRole('button', { name: 'Delete all of it from this device' }))
  const dialog = within(await screen.findByRole('dialog', { name: texts.deleteTitle }))
  expect(dialog.getByText(new RegExp(`^${texts.anonymousToo(1)}`))).toBeTruthy()
  leaves()
  await userEvent.click(dialog.getByRole('button', { name: 'Delete all of it' }))
  expect(await screen.findByText(texts.deleted)).toBeTruthy()
  expect(await readAnonymous()).toEqual([])
  expect([left(), await readOwner(appDatabase())]).toEqual([undefined, user.id])
})

test('the person stays signed in if removing fails', async () => {
  await server({ on: true })
  renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  const { meta } = appDatabase()
  const remove = meta.delete.bind(meta)
  vi.spyOn(meta, 'delete').mockImplementation((key) =>
    key === 'listeningAccount:7' ? (Promise.reject(lost) as ReturnType<typeof remove>) : remove(key),
  )
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
  leaves()
  await userEvent.click(dialog.getByRole('button', { name: 'Remove it from this device, and sign out' }))
  expect(await screen.findByText('Logout successful')).toBeTruthy()
  expect(left()).toBeUndefined()
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

test('hides a person’s listening data after their sign-out', async () => {
  await server({ on: true })
  const site = renderSite('/listening', 'ask')
  await screen.findByText('Up to date, just now.')
  await wrote()
  leaves()
  await pressSignOut()
  const dialog = within(await screen.findByRole('dialog', { name: texts.signOutTitle }))
  await userEvent.click(dialog.getByRole('button', { name: 'Let it stay, and sign out' }))
  // The sign-out goes to Home.
  await waitFor(() => expect(site.address()).toBe('/'))
  await site.goTo('/listening')
  expect(await screen.findByText(texts.ofOthers, { exact: false })).toBeTruthy()
  expect([left(), await notes(), await readAnonymous()]).toEqual([{}, 0, []])
  expect(await appDatabase().inactiveListening.where('owner').equals(user.id).count()).toBe(2)
})

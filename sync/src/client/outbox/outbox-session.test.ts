import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { AppDatabase } from '../database/app-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestRate } from '../engine/rate.ts'
import { appendDelete, appendEdit } from './outbox.ts'
import { startOutbox, type OutboxDeps } from './outbox-session.ts'

/** A device with one edit, and a server with the test's answers. */
async function device(
  answer: (request: { signal: AbortSignal; key: string; method: string }) => Promise<Response>,
  onWake: OutboxDeps['onWake'] = () => () => undefined,
) {
  const db = new AppDatabase(`session-${Math.random()}`)
  const session = startOutbox({
    db,
    now: () => 0,
    random: () => 1,
    onEvent: () => undefined,
    onWake,
    rate: requestRate(() => 0),
    withLeaderLock: withoutLeaderLock,
    pause: (_ms, wake) => wake,
    transport: {
      base: '',
      fetch: async (_address, init) => {
        if (!init?.signal) return Response.json({ csrfToken: 'token' })
        const key = new Headers(init.headers).get('idempotency-key')!
        return answer({ signal: init.signal, key, method: init.method! })
      },
    },
  })
  onTestFinished(async () => {
    session.stop()
    await db.delete()
  })
  const teaching: Teaching = aTeaching()
  const { title, speaker, date } = teaching
  const edited = { title: `${title}, again`, speaker, date, scriptureReference: '' }
  await appendEdit(db, teaching, edited, { userId: 7, now: 0 })
  return { db, session, states: async () => (await db.outbox.toArray()).map(({ state }) => state), teaching }
}

test('sign-out aborts the request and keeps the entry', async () => {
  const keys: string[] = []
  let isLeft = false
  const { session, states, teaching } = await device(({ signal, key }) => {
    keys.push(key)
    if (isLeft) return Promise.resolve(Response.json({ ...teaching, rev: teaching.rev + 1 }))
    // As `fetch`: no answer comes any more.
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new DOMException('left', 'AbortError'))),
    )
  })
  session.setUser(7)
  await expect.poll(states).toEqual(['sending'])
  session.setUser(undefined)
  await expect.poll(states).toEqual(['queued'])
  expect(keys).toHaveLength(1)
  isLeft = true
  session.setUser(7)
  await expect.poll(states).toEqual([])
  expect(keys).toEqual([keys[0], keys[0]])
})

test('Sync sends entries that waited between two sessions', async () => {
  let isSignedIn = false
  const { session, states, teaching } = await device(() =>
    Promise.resolve(
      isSignedIn
        ? Response.json({ ...teaching, rev: teaching.rev + 1 })
        : Response.json({ success: false, code: 'unauthorized', error: 'Sign in' }, { status: 401 }),
    ),
  )
  session.setUser(7)
  await expect.poll(states).toEqual(['blocked_auth'])
  await session.sendNow()
  await expect.poll(states).toEqual(['blocked_auth'])
  isSignedIn = true
  await session.sendNow()
  await expect.poll(states).toEqual([])
})

test('sends no entry of another user', async () => {
  let asked = 0
  const { session, states } = await device(() => {
    asked += 1
    return Promise.resolve(Response.json({}))
  })
  session.setUser(8)
  await session.sendNow()
  expect([asked, await states()]).toEqual([0, ['queued']])
})

test.each([
  [200, '<html>Welcome to the motel.</html>'],
  [403, '<html>Welcome to the motel.</html>'],
  [404, '<html>Not found</html>'],
  [502, '<html>Bad gateway</html>'],
  [200, ''],
  [200, '{}'],
  [200, '{"status":"ok"}'],
  [200, '{"success":true}'],
  [200, '"ok"'],
])('a foreign %i %s leaves entries queued', async (status, body) => {
  let isPortal = true
  const { db, session, states, teaching } = await device(({ method }) =>
    Promise.resolve(
      isPortal
        ? new Response(body, { status })
        : method === 'DELETE'
          ? Response.json({ success: true, rev: teaching.rev + 2 })
          : Response.json({ ...teaching, rev: teaching.rev + 1 }),
    ),
  )
  await appendDelete(db, aTeaching({ id: teaching.id + 1, uid: 'other' }), { userId: 7, now: 0 })
  session.setUser(7)
  await expect.poll(async () => (await db.outbox.toArray()).every(({ attempts }) => attempts > 0)).toBe(true)
  expect(await states()).toEqual(['queued', 'queued'])
  isPortal = false
  await session.sendNow()
  await expect.poll(states).toEqual([])
})

test('resends after a full device at the acknowledgement', async () => {
  const keys: string[] = []
  let shiftOrders = () => {}
  const { db, session, states, teaching } = await device(({ key }) => {
    keys.push(key)
    if (keys.length === 1) {
      // From here on nothing can be written down: neither the yes nor the wait for another try.
      const full = () => Promise.reject(new DOMException('The device is full', 'QuotaExceededError'))
      const writing = vi.spyOn(db, 'transaction').mockImplementation(full as never)
      shiftOrders = () => writing.mockRestore()
    }
    return Promise.resolve(Response.json({ ...teaching, rev: teaching.rev + 1 }))
  })
  session.setUser(7)
  await expect.poll(() => keys).toHaveLength(1)
  // Time for all that cannot be written.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await states()).toEqual(['sending'])
  shiftOrders()
  const sent = async () => (await session.sendNow(), states())
  await expect.poll(sent).toEqual([])
  expect(keys).toEqual([keys[0], keys[0]])
})

test('opening a page sends queued entries at once', async () => {
  const { db, session, states, teaching } = await device(() =>
    Promise.resolve(Response.json({ ...teaching, rev: teaching.rev + 1 })),
  )
  await db.outbox.toCollection().modify({ attempts: 3, nextAttemptAt: 24 * 60 * 60_000 })
  session.setUser(7)
  await expect.poll(states).toEqual([])
})

test('sendNow also sends entries that failed before', async () => {
  let line = false
  const { db, session, states, teaching } = await device(() =>
    line
      ? Promise.resolve(Response.json({ ...teaching, rev: teaching.rev + 1 }))
      : Promise.reject(new TypeError('no line')),
  )
  session.setUser(7)
  await expect.poll(async () => (await db.outbox.toArray()).map(({ attempts }) => attempts)).toEqual([1])
  line = true
  await session.sendNow()
  expect(await states()).toEqual([])
})

test('a network that is back sends entries that failed before', async () => {
  let wake: Parameters<OutboxDeps['onWake']>[0] = () => undefined
  let isBack = false
  const { db, session, states, teaching } = await device(
    () =>
      isBack
        ? Promise.resolve(Response.json({ ...teaching, rev: teaching.rev + 1 }))
        : Promise.reject(new TypeError('no line')),
    (then) => {
      wake = then
      return () => undefined
    },
  )
  session.setUser(7)
  await expect.poll(async () => (await db.outbox.toArray()).map(({ attempts }) => attempts)).toEqual([1])
  isBack = true
  wake('network')
  await expect.poll(states).toEqual([])
})

test('sendNow does not wait for entries behind a conflict', async () => {
  const { db, session, states, teaching } = await device(() => Promise.reject(new TypeError('not asked for')))
  await db.outbox.toCollection().modify({ state: 'conflict' })
  await appendDelete(db, teaching, { userId: 7, now: 0 })
  session.setUser(7)
  await session.sendNow()
  expect(await states()).toEqual(['conflict', 'queued'])
})

test('a sign-in unblocks entries despite a database failure', async () => {
  let isOver = true
  const { db, session, states, teaching } = await device(() =>
    Promise.resolve(
      isOver
        ? Response.json({ success: false, code: 'unauthorized', error: 'Unauthorized' }, { status: 401 })
        : Response.json({ ...teaching, rev: teaching.rev + 1 }),
    ),
  )
  session.setUser(7)
  await expect.poll(states).toEqual(['blocked_auth'])
  session.setUser(undefined)
  isOver = false
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  vi.spyOn(db, 'transaction').mockImplementationOnce(() => Dexie.Promise.reject(lost) as never)
  session.setUser(7)
  await expect.poll(states, { timeout: 15_000 }).toEqual([])
}, 20_000)

import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { leadAlone } from '../engine/leader.ts'
import { requestLimits, requestRate } from '../engine/rate.ts'
import { readAccount, writeAccount } from './listening-owner.ts'
import { turnOff, turnOn } from './listening-people.ts'
import { startListening } from './listening-session.ts'
import { notePosition } from './listening.store.ts'
import { writeMark } from './marks.store.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const user = 7

/** A page on a device whose server answers as a test says. */
function page(
  db: AppDatabase,
  answer: (method: string, signal: AbortSignal) => Response | Promise<Response>,
) {
  let time = 1_000_000
  let woken = (_why: 'entries' | 'network') => {}
  const asked: string[] = []
  const waits: number[] = []
  let signedOut = 0
  let isWatching = false
  const session = startListening({
    db,
    now: () => time,
    random: () => 1,
    onSignedOut: () => (signedOut += 1),
    onWake: (then) => {
      woken = then
      isWatching = true
      return () => void (isWatching = false)
    },
    rate: requestRate(() => time),
    withLeaderLock: leadAlone,
    pause: (ms, wake) => (waits.push(ms), wake),
    transport: {
      base: '',
      fetch: async (address, init) => {
        if ((address as string).endsWith('csrf-token')) return Response.json({ csrfToken: 'token' })
        asked.push(init!.method!)
        return answer(init!.method!, init!.signal!)
      },
    },
  })
  onTestFinished(() => session.stop())
  return {
    session,
    asked,
    signedOut: () => signedOut,
    wake: (why: 'entries' | 'network' = 'entries') => woken(why),
    /** The last pause of the queue, milliseconds; `Infinity` where it waits for nothing. */
    wait: () => waits.at(-1),
    isWatching: () => isWatching,
    pass: (ms: number) => (time += ms),
  }
}

const change = { kind: 'marks', row: { uid, heard: { on: true, at: 1_000_000 } } }
const on = { on: true, anew: true, changes: [], next: '1.0.x', more: false, held: 0, serverTime: 1_000_000 }
const good = (method: string) => Response.json(method === 'GET' ? on : { rows: [change], held: 1 })
const unsent = (db: AppDatabase) => () => db.unsentListening.count()

async function device(): Promise<AppDatabase> {
  const db = new AppDatabase(`listening-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, user, 1_000_000)
  await writeMark(uid, 'heard', true, 1_000_000, db)
  return db
}

test('an unavailable server: it waits, and what waits survives the page and is sent by the next one', async () => {
  const db = await device()
  const first = page(db, () =>
    Response.json({ success: false, code: 'unavailable', error: 'Not now.' }, { status: 503 }),
  )
  await first.session.setUser(user)
  await expect.poll(async () => (await readAccount(db, user))?.lastError?.code).toBe('unavailable')
  first.wake()
  expect([first.asked, first.signedOut(), await unsent(db)()]).toEqual([['GET'], 0, 1])
  expect(await readAccount(db, user)).toMatchObject({ attempts: 1, nextAttemptAt: 1_002_000 })
  first.session.stop()
  const second = page(db, good)
  await second.session.setUser(user)
  await expect.poll(unsent(db)).toBe(0)
  expect(second.asked).toEqual(['GET', 'POST'])
})

test('a round over the limit of requests leaves what was known of the server', async () => {
  const db = await device()
  const { session, asked, wait } = page(db, () =>
    Response.json({ success: false, code: 'unavailable', error: 'Not now.' }, { status: 503 }),
  )
  await session.setUser(user)
  for (let count = 1; count <= requestLimits.perEntry; count += 1) {
    await expect.poll(() => asked).toHaveLength(count)
    await expect.poll(async () => (await readAccount(db, user))?.attempts).toBe(1)
    await session.syncNow()
  }
  await expect.poll(wait).toBe(60_000)
  expect(asked).toHaveLength(requestLimits.perEntry)
  expect((await readAccount(db, user))?.lastError?.code).toBe('unavailable')
})

test('a session that has ended is told, and nothing is lost', async () => {
  const db = await device()
  const { session, signedOut } = page(db, () =>
    Response.json({ success: false, code: 'unauthorized', error: 'Unauthorized' }, { status: 401 }),
  )
  await session.setUser(user)
  await expect.poll(signedOut).toBe(1)
  expect(await unsent(db)()).toBe(1)
})

test('nothing is asked or sent while nobody is signed in', async () => {
  const db = await device()
  const { session, asked, wake } = page(db, good)
  await session.setUser(undefined)
  wake()
  await session.syncNow()
  expect([asked, await unsent(db)()]).toEqual([[], 1])
})

describe('a failure is told as', () => {
  const portal = () => new Response('<html>Welcome</html>', { status: 502 })
  const offline = () => Promise.reject(new TypeError('Failed to fetch'))

  test.each([
    ['the status of what is no answer of our server', portal, '502'],
    ['no connection', offline, 'network'],
  ])('%s, until a round succeeds', async (_, failing, code) => {
    const db = await device()
    let isFailing = true
    const { session, asked } = page(db, (method) => (isFailing ? failing() : good(method)))
    await session.setUser(user)
    await expect.poll(async () => (await readAccount(db, user))?.lastError?.code).toBe(code)
    isFailing = false
    const failed = (await readAccount(db, user))!
    await writeAccount(db, user, { ...failed, atOnce: 1 })
    await session.syncNow()
    await expect.poll(async () => (await readAccount(db, user))?.syncedAt).toBe(1_000_000)
    const account = await readAccount(db, user)
    expect(account).toMatchObject({ attempts: 0, nextAttemptAt: 0, askAt: 1_300_000 })
    expect([account!.lastError, account!.atOnce]).toEqual([undefined, undefined])
    expect(asked).toEqual(['GET', 'GET', 'POST'])
  })
})

test('signing out aborts the request, which is no failure; signing in as who is signed in does not', async () => {
  const db = await device()
  const signals: AbortSignal[] = []
  const { session, wait } = page(db, (_, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  })
  await session.setUser(user)
  await expect.poll(() => signals.length).toBe(1)
  await session.setUser(user)
  expect(signals[0]!.aborted).toBe(false)
  await session.setUser(undefined)
  await expect.poll(() => signals[0]!.aborted).toBe(true)
  await expect.poll(wait).toBe(Infinity)
  const account = await readAccount(db, user)
  expect(account).toMatchObject({ attempts: 0, askAt: 0 })
  expect(account).not.toHaveProperty('lastError')
  await session.setUser(user)
  await expect.poll(() => signals.length).toBe(2)
})

test('a session that is stopped aborts its request, and listens to nothing any more', async () => {
  const db = await device()
  const signals: AbortSignal[] = []
  const { session, isWatching } = page(db, (_, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  })
  await session.setUser(user)
  await expect.poll(() => signals.length).toBe(1)
  expect(isWatching()).toBe(true)
  session.stop()
  await expect.poll(() => signals[0]!.aborted).toBe(true)
  expect(isWatching()).toBe(false)
})

test('what a request of an earlier visit came to changes nothing in the present one', async () => {
  const db = await device()
  let isFirst = true
  const { session, signedOut } = page(db, async () => {
    if (!isFirst) return new Promise(() => {})
    isFirst = false
    await turnOff(db, user, 3)
    return Response.json({ success: false, code: 'unauthorized', error: 'Unauthorized' }, { status: 401 })
  })
  await session.setUser(user)
  await expect.poll(signedOut).toBe(1)
  const account = await readAccount(db, user)
  expect(account).toMatchObject({ on: false, held: 3, attempts: 0, askAt: 0 })
  expect(account).not.toHaveProperty('lastError')
})

test('a long reading is no flood of requests, as each page brings it forward', async () => {
  const db = await device()
  let left = 20
  const { session, asked } = page(db, (method) =>
    method === 'GET' ? Response.json({ ...on, more: (left -= 1) > 0 }) : good(method),
  )
  await session.setUser(user)
  await expect.poll(unsent(db)).toBe(0)
  expect(asked).toHaveLength(21)
})

describe('the server is asked next', () => {
  const minutes = 60_000

  /** A page whose person's listening is with the account, all of it. */
  async function synced() {
    const db = await device()
    const here = page(db, good)
    await here.session.setUser(user)
    await expect.poll(here.wait).toBe(5 * minutes)
    here.asked.splice(0)
    const wakeAndWait = async (ms: number) => {
      here.wake()
      await expect.poll(here.wait).toBe(ms)
    }
    return { ...here, db, wakeAndWait }
  }

  test('not for what is set aside, nor for what waits of another person', async () => {
    const { db, asked, pass, wakeAndWait } = await synced()
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    await db.unsentListening.toCollection().modify({ refused: 'No.' })
    pass(1 * minutes)
    await wakeAndWait(4 * minutes)
    await turnOn(db, 8, 1_000_000)
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    pass(1 * minutes)
    await wakeAndWait(3 * minutes)
    expect(asked).toEqual([])
  })

  test('after five minutes, and not before', async () => {
    const { asked, pass, wake, wakeAndWait } = await synced()
    pass(5 * minutes - 1)
    await wakeAndWait(1)
    expect(asked).toEqual([])
    pass(1)
    wake()
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('at once when the network is back', async () => {
    const { asked, wake } = await synced()
    wake('network')
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('for a place half a minute after the last time, for what a person chose at once', async () => {
    const { db, asked, pass, wake, wakeAndWait } = await synced()
    await notePosition(uid, { seconds: 100, duration: 2_400, at: 1_000_000 }, db)
    await wakeAndWait(30_000)
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    await wakeAndWait(1_000)
    expect(asked).toEqual([])
    pass(1_000)
    wake()
    await expect.poll(() => asked.slice(0, 2)).toEqual(['GET', 'POST'])
  })

  test('at once where the clock was set back since the last time', async () => {
    const { db, asked, pass, wake } = await synced()
    pass(-1)
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    wake()
    await expect.poll(() => asked.slice(0, 2)).toEqual(['GET', 'POST'])
  })

  test('at once where the clock was set back by more than that, with nothing to send', async () => {
    const { asked, pass, wake } = await synced()
    pass(-1)
    wake()
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })
})

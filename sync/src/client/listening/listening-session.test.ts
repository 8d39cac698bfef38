import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestLimits, requestRate } from '../engine/rate.ts'
import { listenForHints } from '../replica/sync-hints.ts'
import { endSession, readAccount, readOwner, turnOff, turnOn } from './listening-accounts.ts'
import { startListening } from './listening-session.ts'
import { notePosition, writeMark } from './listening.store.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const user = 7
type Reason = 'entries' | 'network' | 'hint'

/** A page on a device, and a server with the test's answers. */
function page(
  db: AppDatabase,
  answer: (method: string, signal: AbortSignal) => Response | Promise<Response>,
) {
  let time = 1_000_000
  let woken = (_why: Reason, _sender?: string) => {}
  const asked: string[] = []
  const left: unknown[] = []
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
    withLeaderLock: withoutLeaderLock,
    pause: (ms, wake) => (waits.push(ms), wake),
    transport: {
      base: '',
      fetch: async (address, init) => {
        if ((address as string).endsWith('csrf-token')) return Response.json({ csrfToken: 'token' })
        if (init!.keepalive) left.push(JSON.parse(init!.body as string))
        asked.push(init!.method!)
        return answer(init!.method!, init!.signal!)
      },
    },
  })
  onTestFinished(() => session.stop())
  return {
    session,
    asked,
    left,
    signedOut: () => signedOut,
    wake: (why: Reason = 'entries', sender?: string) => woken(why, sender),
    /** The last pause of the queue, milliseconds; `Infinity` if no retry is due. */
    wait: () => waits.at(-1),
    isWatching: () => isWatching,
    pass: (ms: number) => (time += ms),
  }
}

const change = { kind: 'marks', row: { uid, heard: { on: true, at: 1_000_000 } } }
const on = { on: true, anew: true, changes: [], next: '1.0.x', more: false, held: 0, serverTime: 1_000_000 }
const good = (method: string) => Response.json(method === 'GET' ? on : { results: [change], held: 1 })
const unsent = (db: AppDatabase) => () => db.unsentListening.count()

async function device(): Promise<AppDatabase> {
  const db = new AppDatabase(`listening-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, user)
  await writeMark(uid, 'heard', true, 1_000_000, db)
  return db
}

test('retries after an outage, also on the next page', async () => {
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

test('a rate limit leaves the last error of the server', async () => {
  const db = await device()
  const { session, asked, wait } = page(db, () =>
    Response.json({ success: false, code: 'unavailable', error: 'Not now.' }, { status: 503 }),
  )
  await session.setUser(user)
  for (let count = 1; count <= requestLimits.perEntry; count += 1) {
    await expect.poll(() => asked).toHaveLength(count)
    await expect.poll(async () => (await readAccount(db, user))?.attempts).toBe(1)
    const done = session.syncNow()
    if (count < requestLimits.perEntry) await done
    // Not sent: it would wait for 15 seconds, and the database is gone before.
    else done.catch(() => undefined)
  }
  await expect.poll(wait).toBe(60_000)
  expect(asked).toHaveLength(requestLimits.perEntry)
  expect((await readAccount(db, user))?.lastError?.code).toBe('unavailable')
})

test('reports an ended session and keeps unsent rows', async () => {
  const db = await device()
  const { session, signedOut } = page(db, () =>
    Response.json({ success: false, code: 'unauthorized', error: 'Unauthorized' }, { status: 401 }),
  )
  await session.setUser(user)
  await expect.poll(signedOut).toBe(1)
  expect(await unsent(db)()).toBe(1)
})

test('sends no request while no user is signed in', async () => {
  const db = await device()
  const { session, asked, wake } = page(db, good)
  await session.setUser(undefined)
  wake()
  await session.syncNow()
  expect([asked, await unsent(db)(), await db.inactiveListening.count()]).toEqual([[], 0, 1])
})

describe('a failure', () => {
  const portal = () => new Response('<html>Welcome</html>', { status: 502 })
  const offline = () => Promise.reject(new TypeError('Failed to fetch'))

  test.each([
    ['the status of a foreign answer', portal, '502'],
    ['a lost connection', offline, 'network'],
  ])('is stored as %s until a round succeeds', async (_, failing, code) => {
    const db = await device()
    let isFailing = true
    const { session, asked } = page(db, (method) => (isFailing ? failing() : good(method)))
    await session.setUser(user)
    await expect.poll(async () => (await readAccount(db, user))?.lastError?.code).toBe(code)
    isFailing = false
    await session.syncNow()
    await expect.poll(async () => (await readAccount(db, user))?.syncedAt).toBe(1_000_000)
    const account = await readAccount(db, user)
    expect(account).toMatchObject({ attempts: 0, nextAttemptAt: 0, askAt: 1_300_000 })
    expect(account!.lastError).toBeUndefined()
    expect(asked).toEqual(['GET', 'GET', 'POST'])
  })
})

test('signing out aborts the request without a failure', async () => {
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

test('a late answer after the sign-out shows nothing', async () => {
  const db = await device()
  let answer: ((response: Response) => void) | undefined
  const { session, wait } = page(db, () => new Promise((resolve) => (answer = resolve)))
  await session.setUser(user)
  await expect.poll(() => answer).toBeDefined()
  // In another tab.
  await endSession(db)
  answer!(Response.json({ ...on, changes: [change] }))
  await expect.poll(wait).toBe(300_000)
  expect([await readOwner(db), await db.marks.count()]).toEqual([0, 0])
})

test('asks the server again when the browser has deleted everything', async () => {
  const db = await device()
  const { session, asked } = page(db, good)
  await session.setUser(user)
  await expect.poll(() => asked).toEqual(['GET', 'POST'])
  indexedDB.deleteDatabase(db.name)
  await expect.poll(() => asked).toEqual(['GET', 'POST', 'GET'])
  await expect.poll(async () => (await readAccount(db, user))?.on).toBe(true)
  expect([await db.signedInUser(), await readOwner(db)]).toEqual([user, user])
})

test('stopping aborts the request and all watching', async () => {
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

test('opens the event stream again for another person alone', async () => {
  let streams = 0
  class Stream extends EventTarget {
    constructor() {
      super()
      streams += 1
    }
    close() {}
  }
  vi.stubGlobal('EventSource', Stream)
  // Without locks every tab leads.
  vi.stubGlobal('navigator', {})
  const stop = listenForHints(() => undefined)
  onTestFinished(() => (stop(), void vi.unstubAllGlobals()))
  await expect.poll(() => streams).toBe(1)
  const { session } = page(await device(), good)
  const opened = async (userId: number | undefined) => (await session.setUser(userId), streams)
  expect([await opened(undefined), await opened(user), await opened(user)]).toEqual([1, 2, 2])
})

test('ignores the result of an earlier session', async () => {
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

test('pages of a long reading are not rate limited', async () => {
  const db = await device()
  let left = 20
  const { session, asked } = page(db, (method) =>
    method === 'GET' ? Response.json({ ...on, more: (left -= 1) > 0 }) : good(method),
  )
  await session.setUser(user)
  await expect.poll(unsent(db)).toBe(0)
  expect(asked).toHaveLength(21)
})

describe('the next request is', () => {
  const minutes = 60_000

  /** A page whose rows are all sent. */
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

  test('not for rejected rows nor those of others', async () => {
    const { db, asked, pass, wakeAndWait } = await synced()
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    await db.unsentListening.toCollection().modify({ refused: 'No.' })
    pass(1 * minutes)
    await wakeAndWait(4 * minutes)
    await turnOn(db, 8)
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    pass(1 * minutes)
    await wakeAndWait(3 * minutes)
    expect(asked).toEqual([])
  })

  test('due after five minutes', async () => {
    const { asked, pass, wake, wakeAndWait } = await synced()
    pass(5 * minutes - 1)
    await wakeAndWait(1)
    expect(asked).toEqual([])
    pass(1)
    wake()
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('due when the network is back', async () => {
    const { asked, wake } = await synced()
    wake('network')
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('due 30 seconds after a place, 1 after a choice', async () => {
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

  test('due 1 second after the place of a pause', async () => {
    const { db, wakeAndWait } = await synced()
    await notePosition(uid, { seconds: 100, duration: 2_400, at: 1_000_000, stopped: true }, db)
    await wakeAndWait(1_000)
  })

  test('due at the hint of another device', async () => {
    const { asked, wake } = await synced()
    wake('hint', 'another session')
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('due when hints may have been lost', async () => {
    const { asked, wake } = await synced()
    wake('hint')
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })

  test('not due at a hint of its own change', async () => {
    const { db, asked, wake, pass, wakeAndWait } = await synced()
    wake('hint', (await readAccount(db, user))!.session)
    pass(1)
    await wakeAndWait(5 * minutes - 1)
    expect(asked).toEqual([])
  })

  test('due for a row after the clock was set back', async () => {
    const { db, asked, pass, wake } = await synced()
    pass(-1)
    await writeMark(uid, 'favourite', true, 1_000_000, db)
    wake()
    await expect.poll(() => asked.slice(0, 2)).toEqual(['GET', 'POST'])
  })

  test('due without rows after the clock was set back', async () => {
    const { asked, pass, wake } = await synced()
    pass(-1)
    wake()
    await expect.poll(() => asked).toEqual(['GET', 'POST'])
  })
})

describe('the place at which a page is left', () => {
  const moment = { seconds: 100, duration: 2_400, at: 999_000 }
  const known = { seconds: 50, duration: 2_400, listenedAt: 900_000, earlier: [] }

  test('goes out at once, by a request that outlives the page', async () => {
    const { session, left } = page(await device(), good)
    await session.setUser(user)
    await expect.poll(() => (session.sendLeft(uid, moment, known), left.length)).toBeGreaterThan(0)
    expect(left[0]).toEqual({
      sender: expect.any(String) as string,
      events: [
        {
          kind: 'position',
          row: { uid, seconds: 100, duration: 2_400, listenedAt: { age: 1_000 }, earlier: [] },
          after: 900_000,
        },
      ],
    })
  })

  test('is not sent if a later one is known', async () => {
    const { session, left } = page(await device(), good)
    await session.setUser(user)
    const sent = () => left.map((each) => (each as { events: { row: { uid: string } }[] }).events[0]!.row.uid)
    await expect
      .poll(() => {
        session.sendLeft('later', moment, { ...known, listenedAt: 999_001 })
        session.sendLeft(uid, moment, { ...known, listenedAt: 999_000 })
        return sent()
      })
      .toContain(uid)
    expect(sent()).not.toContain('later')
  })

  test('stays on the device if the account holds no listening', async () => {
    const { session, left } = page(await device(), () => Response.json({ ...on, on: false }))
    await session.setUser(user)
    await new Promise((done) => setTimeout(done, 100))
    session.sendLeft(uid, moment)
    await session.setUser(undefined)
    session.sendLeft(uid, moment)
    await new Promise((done) => setTimeout(done, 20))
    expect(left).toEqual([])
  })
})

import 'fake-indexeddb/auto'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import type { ListeningChange, ListeningEvent } from '@fellowship/schema/listening/listening.schema'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mergeChanges, stampEvent } from '../../protocol/listening-changes.ts'
import { AppDatabase } from '../database/app-database.ts'
import { exchange } from './listening-exchange.ts'
import {
  claimAnonymous,
  everyTable,
  readAccount,
  readOwner,
  readUnsent,
  show,
  startSession,
  turnOff,
  turnOn,
  writeAccount,
} from './listening-accounts.ts'
import { notePosition, readPosition, writeMark } from './listening.store.ts'
import { writeNote } from './notes.store.ts'

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const [a, b, c] = [uid(1), uid(2), uid(3)]
const [ana, ben] = [7, 8]
const time = 1_000_000

type Pulled = Record<string, unknown>
type Answering = () => Promise<Pulled> | Pulled
type Sent = ListeningEvent & { after?: number }

/** A device of Ana, whose listening syncs with her account, and a server with the test's answers. */
async function setting(...pages: (Pulled | Answering)[]) {
  const db = new AppDatabase(`exchange-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, ana)
  await startSession(db, ana)
  const given = pages.length > 0 ? pages : [{}]
  const state = {
    now: time,
    since: [] as (string | null)[],
    pushed: [] as Sent[][],
    users: [] as (string | null)[],
    progress: 0,
    push: (changes: Sent[]): Response | Promise<Response> => taken(changes),
  }
  const fetch = async (input: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(input)
    if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
    state.users.push(new Headers(init!.headers).get(actingUserHeader))
    if (init!.method === 'GET') {
      state.since.push(searchParams.get('since'))
      const page = given.shift()!
      return Response.json({
        ...lastPage,
        ...(typeof page === 'function' ? await (page as Answering)() : page),
      })
    }
    const { sender, events } = JSON.parse(init!.body as string) as { sender: string; events: Sent[] }
    expect(sender).toBe((await readAccount(db, ana))?.session)
    state.pushed.push(events)
    return state.push(events)
  }
  const round = async (session?: string) =>
    exchange({
      db,
      userId: ana,
      session: session ?? (await readAccount(db, ana))!.session,
      transport: { base: 'http://server.test', fetch: fetch as typeof globalThis.fetch },
      now: () => state.now,
      signal: new AbortController().signal,
      onProgress: () => (state.progress += 1),
    })
  const unsent = async () => (await readUnsent(db, await readOwner(db))).map(({ kind, key }) => [kind, key])
  return { db, state, round, unsent, account: () => readAccount(db, ana) }
}

const lastPage = {
  on: true,
  anew: false,
  changes: [],
  next: 'c1',
  more: false,
  held: 0,
  serverTime: time,
}
/** The row that a server with the time of the test has after an event. */
const stored = (sent: Sent): ListeningChange => {
  const { after: _, ...change } = stampEvent(sent, undefined, time) as ListeningChange & { after?: number }
  return change
}
const taken = (events: readonly Sent[]) => Response.json({ results: events.map(stored), held: events.length })
const refused = (status: number, code: string) =>
  Response.json({ success: false, code, error: `Because of ${code}` }, { status })
const about = (pushed: readonly Sent[][]) =>
  pushed.map((changes) => changes.map(({ row }) => ('id' in row ? row.id : row.uid)))
const favourite = (db: AppDatabase, teaching: string, at = time) =>
  writeMark(teaching, 'favourite', true, at, db)
const marks = (teaching: string, at = time): ListeningChange => ({
  kind: 'marks',
  row: { uid: teaching, favourite: { on: true, at } },
})
const listen = (db: AppDatabase, seconds: number, at: number) =>
  notePosition(a, { seconds, duration: 3_000, at }, db)
const place = (seconds: number, listenedAt: number): ListeningChange => ({
  kind: 'position',
  row: { uid: a, seconds, duration: 3_000, listenedAt, earlier: [] },
})

describe('a round stops', () => {
  test('stops after the session was replaced', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    await round('another session')
    expect([state.since, state.pushed, state.progress]).toEqual([[], [], 0])
  })

  test('stops after another person signed in', async () => {
    const { db, state, round, account } = await setting(async () => {
      await startSession(db, ben)
      return { changes: [marks(a)], next: 'c2' }
    })
    await favourite(db, b)
    await round()
    expect(await db.marks.count()).toBe(0)
    expect((await account())?.cursor).toBeUndefined()
    expect(state.pushed).toEqual([])
  })

  test('stops after another device turned it off', async () => {
    const { db, state, round, unsent, account } = await setting({ on: false, held: 5 })
    await writeAccount(db, ana, { ...(await account())!, cursor: 'c0' })
    await favourite(db, a)
    await round()
    expect([state.since, state.pushed, await unsent()]).toEqual([['c0'], [], []])
    expect(await account()).toMatchObject({ on: false, held: 5 })
    expect(await account()).not.toHaveProperty('cursor')
    expect(await db.marks.count()).toBe(1)
  })

  test('stops after it was turned off while reading', async () => {
    const { db, state, round } = await setting({ more: true }, async () => {
      await turnOff(db, ana, 0)
      return {}
    })
    await favourite(db, a)
    await round()
    expect(state.pushed).toEqual([])
  })
})

describe('rows of another shown person are not sent', () => {
  test('sends no rows of another after turning off', async () => {
    const { db, state, round, unsent } = await setting({ on: false })
    await turnOn(db, ben)
    await favourite(db, b)
    await round()
    expect([state.pushed, await unsent()]).toEqual([[], [['marks', b]]])
  })

  test('sends no rows of another person', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (changes) => {
      await turnOn(db, ben)
      await favourite(db, b)
      return taken(changes)
    }
    await round()
    expect(about(state.pushed)).toEqual([[a]])
    expect(await unsent()).toEqual([['marks', b]])
    expect((await db.marks.toArray()).map((row) => row.uid)).toEqual([b])
  })

  test('a late answer changes no mark of another person', async () => {
    const { db, state, round } = await setting()
    await listen(db, 900, time)
    let before: unknown
    state.push = async (changes) => {
      await turnOn(db, ben)
      await listen(db, 300, time)
      before = await db.unsentListening.toArray()
      return taken(changes)
    }
    await round()
    expect(before).toHaveLength(1)
    expect(await db.unsentListening.toArray()).toEqual(before)
  })
})

describe('an answer to what was sent', () => {
  test('is ignored after another person signed in', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (changes) => {
      await startSession(db, ben)
      return taken(changes)
    }
    await round()
    expect(state.pushed).toHaveLength(1)
    await startSession(db, ana)
    expect(await unsent()).toEqual([['marks', a]])
  })

  test('rejects an answer with a missing result', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = () => Response.json({ results: [], held: 0 })
    await expect(round()).rejects.toThrow('Not as many results')
    expect(await unsent()).toEqual([['marks', a]])
    // Of the reading.
    expect(state.progress).toBe(1)
  })

  test.each([
    [503, 'unavailable'],
    [401, 'unauthorized'],
    [400, 'invalid_input'],
  ])('%i %s ends the round and rejects no row', async (status, code) => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    state.push = () => refused(status, code)
    await expect(round()).rejects.toThrow(code)
    expect((await db.unsentListening.toArray()).map((mark) => mark.refused)).toEqual([undefined])
  })

  test('a lost answer ends the round', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = () => Promise.reject(new TypeError('Failed to fetch'))
    await expect(round()).rejects.toThrow('No answer')
    expect(await unsent()).toEqual([['marks', a]])
  })

  test('rejects one row and accepts the others', async () => {
    const { db, state, round } = await setting()
    for (const each of [a, b]) await favourite(db, each)
    state.push = (events) =>
      Response.json({
        results: events.map((sent) => (sent.row.uid === a ? { rejected: 'No.' } : stored(sent))),
        held: 1,
      })
    await round()
    expect(about(state.pushed)).toEqual([[a, b]])
    expect(await db.unsentListening.toArray()).toMatchObject([{ key: a, refused: 'No.' }])
    expect(state.progress).toBe(2)
  })

  test('sends a rejected row that was changed meanwhile', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (events) => {
      if (state.pushed.length > 1) return taken(events)
      await writeMark(a, 'heard', true, time, db)
      return Response.json({ results: [{ rejected: 'No.' }], held: 0 })
    }
    await round()
    expect(state.pushed.map(([change]) => Object.keys(change!.row))).toEqual([
      ['uid', 'favourite'],
      ['uid', 'favourite', 'heard'],
    ])
    expect(await unsent()).toEqual([])
  })
})

test('a rejected row is not sent until it is changed', async () => {
  const { db, state, round, unsent } = await setting({}, {})
  await favourite(db, a)
  await db.unsentListening.toCollection().modify({ refused: 'No.' })
  await round()
  expect(state.pushed).toEqual([])
  await writeMark(a, 'heard', true, time, db)
  await round()
  expect(about(state.pushed)).toEqual([[a]])
  expect(await unsent()).toEqual([])
})

test('a deleted row is not sent', async () => {
  const { db, state, round, unsent } = await setting()
  await favourite(db, a)
  await db.marks.clear()
  await round()
  expect([state.pushed, await unsent()]).toEqual([[], []])
})

test('a claimed row is sent beside that of the account', async () => {
  const { db, state, round, unsent } = await setting({ changes: [marks(a, 5)] }, {})
  await round()
  await db.transaction('rw', everyTable(db), () => show(db, 0))
  await writeMark(a, 'heard', true, time - 700, db)
  await startSession(db, ana)
  await claimAnonymous(db, ana)
  const merged = { uid: a, favourite: { on: true, at: 5 }, heard: { on: true, at: time - 700 } }
  state.push = () => Response.json({ results: [0, 1].map(() => ({ kind: 'marks', row: merged })), held: 1 })
  await round()
  expect(state.pushed).toEqual([
    [marks(a, 5), { kind: 'marks', row: { uid: a, heard: { on: true, at: { age: 700 } } } }],
  ])
  expect([await db.marks.toArray(), await unsent()]).toEqual([[merged], []])
})

test('reads every page and then sends, as the user', async () => {
  const { db, state, round, unsent, account } = await setting(
    { anew: true, changes: [marks(a)], next: 'c1', more: true, held: 2 },
    { changes: [marks(b)], next: 'c2', held: 2 },
  )
  await favourite(db, c)
  await round()
  expect(state.since).toEqual([null, 'c1'])
  expect(about(state.pushed)).toEqual([[c]])
  expect((await db.marks.toArray()).map((row) => row.uid)).toEqual([a, b, c])
  expect(await unsent()).toEqual([])
  expect(await account()).toMatchObject({ on: true, cursor: 'c2', held: 1 })
  expect(new Set(state.users)).toEqual(new Set([String(ana)]))
  expect(state.progress).toBe(3)
})

test('shows an account that was turned on elsewhere', async () => {
  const { db, state, round, account } = await setting({ changes: [marks(a)] })
  await writeAccount(db, ana, { ...(await account())!, on: false })
  await startSession(db, ben)
  await favourite(db, b)
  await startSession(db, ana)
  expect(await account()).toMatchObject({ on: false })
  await round()
  expect(await readOwner(db)).toBe(ana)
  expect((await db.marks.toArray()).map((row) => row.uid)).toEqual([a])
  expect(state.pushed).toEqual([])
})

test('sends only missing rows to a restored server', async () => {
  const { db, state, round } = await setting({ anew: true, changes: [marks(a)] })
  for (const each of [a, b]) await favourite(db, each)
  await db.unsentListening.clear()
  await round()
  expect(about(state.pushed)).toEqual([[b]])
})

test('sends no rows that the server has', async () => {
  const { db, state, round } = await setting({ changes: [marks(a)] })
  for (const each of [a, b]) await favourite(db, each)
  await db.unsentListening.clear()
  await round()
  expect(state.pushed).toEqual([])
})

describe('batches', () => {
  test('a request has at most 100 events', async () => {
    const { db, state, round, unsent } = await setting()
    const many = Array.from({ length: limits.changes + 1 }, () => crypto.randomUUID())
    for (const each of many) await favourite(db, each)
    await round()
    expect(state.pushed.map(({ length }) => length)).toEqual([limits.changes, 1])
    expect(await unsent()).toEqual([])
  })

  test('a request has at most 48,000 bytes', async () => {
    const { db, state, round } = await setting()
    for (let left = 30; left > 0; left -= 1)
      await writeNote({ uid: a, seconds: left, text: 'é'.repeat(1_500) }, time, db)
    await round()
    const sizes = state.pushed.map((events) => new TextEncoder().encode(JSON.stringify({ events })).length)
    expect(Math.max(...sizes)).toBeLessThan(limits.pushBytes + 100)
    expect(Math.max(...sizes)).toBeGreaterThan(limits.pushBytes - 4_000)
    expect(state.pushed.flat()).toHaveLength(30)
  })
})

describe('a row of the server', () => {
  test('is merged with a sent row of this device', async () => {
    const heard: ListeningChange = { kind: 'marks', row: { uid: a, heard: { on: true, at: 5 } } }
    const { db, state, round } = await setting({ changes: [heard] })
    await favourite(db, a)
    await db.unsentListening.clear()
    await round()
    const merged = mergeChanges(heard, marks(a))
    expect(await db.marks.toArray()).toEqual([merged.row])
    expect(state.pushed).toEqual([[merged]])
  })

  test('replaces a rejected row that it outdates', async () => {
    const { db, state, round } = await setting({ changes: [marks(a, time + 1)] })
    await favourite(db, a)
    await db.unsentListening.toCollection().modify({ refused: 'No.' })
    await round()
    expect(await db.marks.toArray()).toEqual([marks(a, time + 1).row])
    expect([state.pushed, await db.unsentListening.count()]).toEqual([[], 0])
  })

  test('waits for the merge with an unsent row', async () => {
    const { db, state, round, unsent } = await setting({ changes: [marks(a, time + 1)] })
    await favourite(db, a)
    state.push = () => Response.json({ results: [marks(a, time + 1)], held: 1 })
    await round()
    expect(state.pushed).toHaveLength(1)
    expect(await db.marks.toArray()).toEqual([marks(a, time + 1).row])
    expect(await unsent()).toEqual([])
  })

  test('leaves the mark of an unsent row', async () => {
    const { db, round, state } = await setting({ changes: [marks(a, 5)] })
    await favourite(db, a)
    const before = await db.unsentListening.toArray()
    state.push = () => refused(503, 'unavailable')
    await expect(round()).rejects.toThrow()
    expect(await db.unsentListening.toArray()).toEqual(before)
  })
})

describe('a place of the server', () => {
  const later = place(900, time + 5_000)
  const offered = { seconds: 100, listenedAt: time }

  test('replaces the sent place of this device', async () => {
    const { db, state, round } = await setting({ changes: [later] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual(later.row)
    expect(state.pushed).toEqual([])
  })

  test('a place of the same moment is equal', async () => {
    const { db, round } = await setting({ changes: [place(900, time)] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual(place(900, time).row)
  })

  test('waits for the merge with an unsent place', async () => {
    const { db, state, round } = await setting({ changes: [later] })
    await listen(db, 100, time - 300)
    const merged = { kind: 'position', row: { ...later.row, earlier: [offered] } } as ListeningChange
    state.push = () => Response.json({ results: [merged], held: 1 })
    await round()
    expect(state.pushed).toMatchObject([[{ row: { seconds: 100, listenedAt: { age: 300 } } }]])
    expect(await readPosition(a, db)).toEqual(merged.row)
  })

  test('becomes an earlier place of a newer one', async () => {
    const { db, state, round } = await setting({ changes: [place(100, time - 5_000)] })
    await listen(db, 900, time)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual({
      ...place(900, time).row,
      earlier: [{ seconds: 100, listenedAt: time - 5_000 }],
    })
    expect(state.pushed).toHaveLength(1)
  })

  test('is named by the listening that continues from it', async () => {
    const { db, state, round } = await setting({ changes: [place(100, time)] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await listen(db, 130, time + 5_000)
    state.now = time + 6_000
    await round()
    const sent = place(130, time + 5_000)
    expect(state.pushed).toEqual([
      [{ ...sent, after: time, row: { ...sent.row, listenedAt: { age: 1_000 } } }],
    ])
  })
})

describe('a row changed while it was sent', () => {
  /** Sends a place while listening continues; returns the mark of that and its next event. */
  async function heardMeanwhile(answered: ListeningChange) {
    const { db, state, round } = await setting()
    await listen(db, 100, time)
    state.push = async () => {
      if (state.pushed.length > 1) return refused(503, 'unavailable')
      await listen(db, 130, time + 5_000)
      return Response.json({ results: [answered], held: 1 })
    }
    await expect(round()).rejects.toThrow('unavailable')
    expect(await readPosition(a, db)).toMatchObject({ seconds: 130 })
    return { mark: await db.unsentListening.get(['position', a]), again: state.pushed[1] }
  }

  test('does not continue from a place of another device', async () => {
    const { mark, again } = await heardMeanwhile(place(700, time + 9_000))
    expect(mark).not.toHaveProperty('base')
    expect(again![0]).not.toHaveProperty('after')
  })

  test('continues from the place that was sent', async () => {
    const { mark, again } = await heardMeanwhile(place(100, time))
    expect(mark).toMatchObject({ base: time })
    expect(again).toMatchObject([{ after: time, row: { seconds: 130 } }])
  })

  test('is sent again', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (changes) => {
      if (state.pushed.length === 1) await writeMark(a, 'heard', true, time, db)
      if (state.pushed.length === 2)
        expect(await db.unsentListening.get(['marks', a])).not.toHaveProperty('base')
      return taken(changes)
    }
    await round()
    expect(state.pushed).toHaveLength(2)
    expect(await db.marks.toArray()).toEqual([stored(state.pushed[1]![0]!).row])
    expect(await unsent()).toEqual([])
  })

  test('an accepted row is stored as the server merged it', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    const merged = { uid: a, favourite: { on: true, at: time }, heard: { on: true, at: 5 } }
    state.push = () => Response.json({ results: [{ kind: 'marks', row: merged }], held: 9 })
    await round()
    expect(await db.marks.toArray()).toEqual([merged])
    expect((await readAccount(db, ana))?.held).toBe(9)
  })
})

describe('ages', () => {
  const sent = ({ pushed }: { pushed: Sent[][] }) => pushed.flat().map(({ row }) => row)

  test('a fast or slow clock sends the same age', async () => {
    for (const wrong of [-50 * 3_600_000, 0, 7 * 3_600_000]) {
      const { db, state, round } = await setting()
      state.now = 1_800_000_000_000 + wrong
      await favourite(db, a, state.now - 4_000)
      await round()
      expect(sent(state)).toEqual([{ uid: a, favourite: { on: true, at: { age: 4_000 } } }])
    }
  })

  test('a clock that was set back sends no negative age', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a, time + 90_000)
    await round()
    expect(sent(state)).toEqual([{ uid: a, favourite: { on: true, at: { age: 0 } } }])
  })

  test('sends the server’s stamps unchanged', async () => {
    const { db, state, round } = await setting({ changes: [marks(a, 5)] }, {})
    await round()
    await writeMark(a, 'heard', true, time - 700, db)
    await round()
    expect(sent(state)).toEqual([
      { uid: a, favourite: { on: true, at: 5 }, heard: { on: true, at: { age: 700 } } },
    ])
  })

  test('sends ages of earlier places too', async () => {
    const { db, state, round } = await setting()
    await listen(db, 900, time - 8_000)
    await listen(db, 100, time - 2_000)
    await round()
    expect(sent(state)).toMatchObject([
      { listenedAt: { age: 2_000 }, earlier: [{ seconds: 900, listenedAt: { age: 8_000 } }] },
    ])
  })
})

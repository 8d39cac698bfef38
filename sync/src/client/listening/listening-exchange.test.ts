import 'fake-indexeddb/auto'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import type { ListeningChange } from '@fellowship/schema/listening/listening.schema'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mergeChanges } from '../../protocol/listening-changes.ts'
import { AppDatabase } from '../database/app-database.ts'
import { readBehind } from './listening-clock.ts'
import { exchange } from './listening-exchange.ts'
import { readAccount, readOwner, writeAccount } from './listening-owner.ts'
import { startSession, turnOff, turnOn } from './listening-people.ts'
import { notePosition, readPosition } from './listening.store.ts'
import { writeMark } from './marks.store.ts'
import { writeNote } from './notes.store.ts'

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const [a, b, c, d] = [uid(1), uid(2), uid(3), uid(4)]
const [ana, ben] = [7, 8]
const time = 1_000_000

type Pulled = Record<string, unknown>
type Answering = () => Promise<Pulled> | Pulled
type Sent = ListeningChange & { after?: number }

/** A device of Ana's, who keeps her listening with her account, and a server whose answers a test gives. */
async function setting(...pages: (Pulled | Answering)[]) {
  const db = new AppDatabase(`exchange-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, ana, time)
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
    const { changes } = JSON.parse(init!.body as string) as { changes: Sent[] }
    state.pushed.push(changes)
    return state.push(changes)
  }
  const round = async (visit?: string) =>
    exchange({
      db,
      userId: ana,
      visit: visit ?? (await readAccount(db, ana))!.visit,
      transport: { base: 'http://server.test', fetch: fetch as typeof globalThis.fetch },
      now: () => state.now,
      signal: new AbortController().signal,
      onProgress: () => (state.progress += 1),
    })
  const unsent = async () => (await db.unsentListening.toArray()).map(({ kind, key }) => [kind, key])
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
const taken = (changes: readonly Sent[]) =>
  Response.json({
    rows: changes.map((sent) => {
      const { after: _, ...change } = sent
      return change
    }),
    held: changes.length,
  })
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

describe('nothing is read or sent', () => {
  test('of a visit that is over', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    await round('another visit')
    expect([state.since, state.pushed, state.progress]).toEqual([[], [], 0])
  })

  test('after another person signed in during the request', async () => {
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

  test('where it was turned off on another device: what waited is not sent later either', async () => {
    const { db, state, round, unsent, account } = await setting({ on: false, held: 5 })
    await writeAccount(db, ana, { ...(await account())!, cursor: 'c0' })
    await favourite(db, a)
    await round()
    expect([state.since, state.pushed, await unsent()]).toEqual([['c0'], [], []])
    expect(await account()).toMatchObject({ on: false, held: 5 })
    expect(await account()).not.toHaveProperty('cursor')
    expect(await db.marks.count()).toBe(1)
  })

  test('where it was turned off on this device after it was read', async () => {
    const { db, state, round } = await setting({ more: true }, async () => {
      await turnOff(db, ana, 0)
      return {}
    })
    await favourite(db, a)
    await round()
    expect(state.pushed).toEqual([])
  })
})

describe('what waits of another person who is shown is not sent', () => {
  test('where it was turned off for this one', async () => {
    const { db, state, round, unsent } = await setting({ on: false })
    await turnOn(db, ben, time)
    await favourite(db, b)
    await round()
    expect([state.pushed, await unsent()]).toEqual([[], [['marks', b]]])
  })

  test('after a first request in which they turned it on', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (changes) => {
      await turnOn(db, ben, time)
      await favourite(db, b)
      return taken(changes)
    }
    await round()
    expect(about(state.pushed)).toEqual([[a]])
    expect(await unsent()).toEqual([['marks', b]])
    expect((await db.marks.toArray()).map((row) => row.uid)).toEqual([b])
  })
})

describe('an answer to what was sent', () => {
  test('that comes after another person signed in is not taken: it is sent again when they are back', async () => {
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

  test('with more or fewer rows than were sent is not taken', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = () => Response.json({ rows: [], held: 0 })
    await expect(round()).rejects.toThrow('Not as many rows')
    expect(await unsent()).toEqual([['marks', a]])
    // Reading brought it forward, this did not.
    expect(state.progress).toBe(1)
  })

  test.each([
    [503, 'unavailable'],
    [401, 'unauthorized'],
  ])('%i %s ends the round, and nothing is set aside', async (status, code) => {
    const { db, state, round, account } = await setting()
    await favourite(db, a)
    state.push = () => refused(status, code)
    await expect(round()).rejects.toThrow(code)
    expect((await db.unsentListening.toArray()).map((mark) => mark.refused)).toEqual([undefined])
    expect(await account()).not.toHaveProperty('atOnce')
  })

  test('without a connection ends the round, and nothing is set aside', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = () => Promise.reject(new TypeError('Failed to fetch'))
    await expect(round()).rejects.toThrow('No answer')
    expect(await unsent()).toEqual([['marks', a]])
  })

  test('that refuses: half as many are sent, until the bad row is found and set aside with the reason', async () => {
    const { db, state, round, account } = await setting()
    for (const each of [a, b, c, d]) await favourite(db, each)
    state.push = (changes) =>
      changes.some(({ row }) => row.uid === a) ? refused(400, 'invalid_input') : taken(changes)
    await round()
    expect(about(state.pushed)).toEqual([[a, b, c, d], [a, b], [a], [b, c, d]])
    expect(await db.unsentListening.toArray()).toMatchObject([
      { key: a, refused: 'Because of invalid_input' },
    ])
    expect(await account()).not.toHaveProperty('atOnce')
    expect(state.progress).toBe(5)
  })

  test('that refuses a row which was changed meanwhile: it is sent as it is now', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    state.push = async (changes) => {
      if (state.pushed.length > 1) return taken(changes)
      await writeMark(a, 'heard', true, time, db)
      return refused(400, 'invalid_input')
    }
    await round()
    expect(state.pushed.map(([change]) => Object.keys(change!.row))).toEqual([
      ['uid', 'favourite'],
      ['uid', 'favourite', 'heard'],
    ])
    expect(await unsent()).toEqual([])
  })
})

describe('is not sent', () => {
  test('what no server takes: it is set aside with a sentence, and holds up no other', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    await favourite(db, b)
    await db.marks.update(a, { favourite: { on: true, at: -1 } })
    await round()
    expect(about(state.pushed)).toEqual([[b]])
    expect(await db.unsentListening.toArray()).toMatchObject([
      { key: a, refused: listeningTexts.cannotBeKept },
    ])
  })

  test('what was set aside, until it is changed', async () => {
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

  test('what is no longer there', async () => {
    const { db, state, round, unsent } = await setting()
    await favourite(db, a)
    await db.marks.clear()
    await round()
    expect([state.pushed, await unsent()]).toEqual([[], []])
  })
})

test('reads page after page, each from where the last one ended, and then sends, in the name of the person', async () => {
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

test('a device that learns that it is kept with the account shows it from then on, and not what was made without one', async () => {
  const { db, state, round, account } = await setting({ changes: [marks(a)] })
  await writeAccount(db, ana, { ...(await account())!, on: false })
  await startSession(db, ben)
  await favourite(db, b)
  await startSession(db, ana)
  expect(await readOwner(db)).toBe(0)
  await round()
  expect(await readOwner(db)).toBe(ana)
  expect((await db.marks.toArray()).map((row) => row.uid)).toEqual([a])
  expect(state.pushed).toEqual([])
})

test('a server that begins anew gets what it lacks, and not what it has', async () => {
  const { db, state, round } = await setting({ anew: true, changes: [marks(a)] })
  for (const each of [a, b]) await favourite(db, each)
  await db.unsentListening.clear()
  await round()
  expect(about(state.pushed)).toEqual([[b]])
})

test('a server that goes on gets nothing that it has', async () => {
  const { db, state, round } = await setting({ changes: [marks(a)] })
  for (const each of [a, b]) await favourite(db, each)
  await db.unsentListening.clear()
  await round()
  expect(state.pushed).toEqual([])
})

describe('at once', () => {
  test('not more changes are sent than a request may have', async () => {
    const { db, state, round, unsent } = await setting()
    const many = Array.from({ length: limits.changes + 1 }, () => crypto.randomUUID())
    for (const each of many) await favourite(db, each)
    await round()
    expect(state.pushed.map(({ length }) => length)).toEqual([limits.changes, 1])
    expect(await unsent()).toEqual([])
  })

  test('not more bytes are sent than a request may have', async () => {
    const { db, state, round } = await setting()
    for (let left = 30; left > 0; left -= 1)
      await writeNote({ uid: a, seconds: left, text: 'é'.repeat(1_500) }, time, db)
    await round()
    const sizes = state.pushed.map((changes) => new TextEncoder().encode(JSON.stringify({ changes })).length)
    expect(Math.max(...sizes)).toBeLessThan(limits.pushBytes + 100)
    expect(Math.max(...sizes)).toBeGreaterThan(limits.pushBytes - 4_000)
    expect(state.pushed.flat()).toHaveLength(30)
  })
})

describe('a row of the server', () => {
  test('is merged with this device’s, which is sent where the server lacks some of it', async () => {
    const heard: ListeningChange = { kind: 'marks', row: { uid: a, heard: { on: true, at: 5 } } }
    const { db, state, round } = await setting({ changes: [heard] })
    await favourite(db, a)
    await db.unsentListening.clear()
    await round()
    const merged = mergeChanges(heard, marks(a))
    expect(await db.marks.toArray()).toEqual([merged.row])
    expect(state.pushed).toEqual([[merged]])
  })

  test('with all that waited here is not sent again', async () => {
    const { db, state, round, unsent } = await setting({ changes: [marks(a, time + 1)] })
    await favourite(db, a)
    await round()
    expect(await db.marks.toArray()).toEqual([marks(a, time + 1).row])
    expect([state.pushed, await unsent()]).toEqual([[], []])
  })

  test('leaves the mark of what waits here as it is', async () => {
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

  test('where listening went on elsewhere takes the place of this device’s, which is no earlier place', async () => {
    const { db, state, round } = await setting({ changes: [later] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual(later.row)
    expect(state.pushed).toEqual([])
  })

  test('of the same moment is the same place', async () => {
    const { db, round } = await setting({ changes: [place(900, time)] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual(place(900, time).row)
  })

  test('that the server does not know of this device is kept as an earlier one, and sent', async () => {
    const { db, state, round } = await setting({ changes: [later] })
    await listen(db, 100, time)
    await round()
    expect(await readPosition(a, db)).toEqual({ ...later.row, earlier: [offered] })
    expect(state.pushed).toMatchObject([[{ row: { seconds: 900, earlier: [offered] } }]])
  })

  test('that is older than this device’s is an earlier one', async () => {
    const { db, state, round } = await setting({ changes: [place(100, time)] })
    await listen(db, 900, time + 5_000)
    await db.unsentListening.clear()
    await round()
    expect(await readPosition(a, db)).toEqual({ ...later.row, earlier: [offered] })
    expect(state.pushed).toHaveLength(1)
  })

  test('that this device went on from is passed: it is no earlier place, and what is sent says so', async () => {
    const { db, state, round } = await setting({ changes: [place(100, time)] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await listen(db, 130, time + 5_000)
    await round()
    expect(state.pushed).toEqual([[{ ...place(130, time + 5_000), after: time }]])
    expect(await readPosition(a, db)).toEqual(place(130, time + 5_000).row)
  })

  test('that another device went on to meanwhile stands beside this device’s', async () => {
    const { db, round } = await setting({ changes: [place(500, time + 1_000)] })
    await listen(db, 100, time)
    await db.unsentListening.clear()
    await listen(db, 130, time + 5_000)
    await round()
    expect((await readPosition(a, db))?.earlier).toEqual([{ seconds: 500, listenedAt: time + 1_000 }])
  })
})

describe('changed while it was sent', () => {
  /** Sends a place, and hears more of the recording meanwhile; returns the mark of that. */
  async function heardMeanwhile(answered: ListeningChange) {
    const { db, state, round } = await setting()
    await listen(db, 100, time)
    state.push = async () => {
      if (state.pushed.length > 1) return refused(503, 'unavailable')
      await listen(db, 130, time + 5_000)
      return Response.json({ rows: [answered], held: 1 })
    }
    await expect(round()).rejects.toThrow('unavailable')
    expect(await readPosition(a, db)).toMatchObject({ seconds: 130 })
    return { mark: await db.unsentListening.get(['position', a]), again: state.pushed[1] }
  }

  test('a place that the server has otherwise: what was heard since stands beside it', async () => {
    const { mark, again } = await heardMeanwhile(place(700, time + 9_000))
    expect(mark).not.toHaveProperty('base')
    expect(again![0]).not.toHaveProperty('after')
  })

  test('a place that the server has now: what was heard since goes on from it', async () => {
    const { mark, again } = await heardMeanwhile(place(100, time))
    expect(mark).toMatchObject({ base: time })
    expect(again).toMatchObject([{ after: time, row: { seconds: 130 } }])
  })

  test('a mark is sent again as it is now', async () => {
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
    expect(await db.marks.toArray()).toEqual([state.pushed[1]![0]!.row])
    expect(await unsent()).toEqual([])
  })

  test('what the server merged is taken as it is there', async () => {
    const { db, state, round } = await setting()
    await favourite(db, a)
    const merged = { uid: a, favourite: { on: true, at: time }, heard: { on: true, at: 5 } }
    state.push = () => Response.json({ rows: [{ kind: 'marks', row: merged }], held: 9 })
    await round()
    expect(await db.marks.toArray()).toEqual([merged])
    expect((await readAccount(db, ana))?.held).toBe(9)
  })
})

describe('a clock that turns out to be 100 seconds slow', () => {
  const slow = 100_000
  const moments = async (db: AppDatabase) => ({
    favourites: (await db.marks.toArray()).map(({ favourite: choice }) => choice!.at),
    places: (await db.positions.toArray()).map(({ listenedAt, earlier }) => [
      listenedAt,
      ...earlier.map((each) => each.listenedAt),
    ]),
  })

  test('is not noticed where the request took longer than that', async () => {
    const { db, state, round } = await setting({}, () => {
      state.now += 3 * slow
      return { serverTime: time + slow }
    })
    await round()
    await favourite(db, a)
    await round()
    expect(await readBehind(db)).toBe(0)
    expect((await moments(db)).favourites).toEqual([time])
  })

  test('when it is compared first: all that it stamped moves, also what was put aside', async () => {
    const { db, state, round } = await setting({ serverTime: time + slow })
    await startSession(db, ben)
    await favourite(db, b, 5)
    await startSession(db, ana)
    await favourite(db, a, 6)
    await listen(db, 900, 7)
    await listen(db, 100, 8)
    state.push = () => refused(503, 'unavailable')
    await expect(round()).rejects.toThrow()
    expect(await readBehind(db)).toBe(slow)
    expect(await moments(db)).toEqual({ favourites: [slow + 6], places: [[slow + 8, slow + 7]] })
    expect((await db.unsentListening.toArray()).map(({ since }) => since)).toEqual([slow + 6, slow + 7])
    expect((await db.keptListening.toArray()).map(({ row }) => row)).toEqual([marks(b, slow + 5).row])
  })

  test('after it was right before: what was not sent moves, and nothing that is older', async () => {
    const { db, state, round } = await setting({}, { serverTime: time + slow })
    await favourite(db, a, 5)
    await listen(db, 900, 6)
    await round()
    await favourite(db, b, 7)
    await listen(db, 100, 8)
    state.push = () => refused(503, 'unavailable')
    await expect(round()).rejects.toThrow()
    expect(await readBehind(db)).toBe(slow)
    expect(await moments(db)).toEqual({ favourites: [5, slow + 7], places: [[slow + 8, 6]] })
    expect((await db.unsentListening.toArray()).map(({ since }) => since)).toEqual([slow + 7, slow + 8])
  })

  test('and right again later moves by as much back', async () => {
    const { db, state, round } = await setting({ serverTime: time + slow }, { serverTime: time })
    await round()
    await favourite(db, a)
    expect((await moments(db)).favourites).toEqual([time + slow])
    state.push = () => refused(503, 'unavailable')
    await expect(round()).rejects.toThrow()
    expect([await readBehind(db), (await moments(db)).favourites]).toEqual([0, [time]])
  })
})

import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fillDeviceAt } from '../../testing/crash.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { holdAhead, readAhead } from './ahead-store.ts'
import { canStoreChunk } from './device-room.ts'
import {
  audioKeyOf,
  contiguousBytes,
  dropRecording,
  saveInstead,
  saveNewest,
  saveRecording,
  readRecordings,
  keepNewest,
} from './audio-store.ts'
import { startDownloads, whenRecordingsChange, type AudioDownloads } from './audio-downloads.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestLimits, requestRate } from '../engine/rate.ts'
import { appDatabase } from '../database/app-database.ts'
import { audioDatabase, AudioDatabase } from '../database/audio-database.ts'

const recordings = new Map<string, Buffer>()
let answer: (url: string) => Response | Promise<Response> = deliver
let hasRoom = () => Promise.resolve(false)
let db: AudioDatabase
let keepers: AudioDownloads[] = []
let names = 0
/** As the downloads wait on a full device. */
const roomEveryMs = 5 * 60_000

function deliver(url: string): Response {
  return new Response(new Uint8Array(recordings.get(new URL(url).pathname)!))
}

/** @param options.isPatient if waits end only when it is woken */
function keeper({ isPatient = false } = {}) {
  const pauses: number[] = []
  let idle = 0
  let isStopped = false
  let wake = (_why: 'recordings' | 'network') => {}
  let now = 1_000
  const rate = requestRate(() => now)
  const made = startDownloads({
    db,
    transport: { base: 'http://t', fetch: async (url) => answer(String(url as string)) },
    withLeaderLock: withoutLeaderLock,
    now: () => now,
    random: () => 1,
    rate,
    onWake: (then) => {
      wake = then
      return () => void (isStopped = true)
    },
    // Retries come at once; a keeper that has nothing to do waits until it is woken.
    pause: async (ms, woken) => {
      if (isPatient || ms === Infinity || ms === roomEveryMs) {
        idle += 1
        return woken
      }
      pauses.push(ms)
      now += ms
    },
    hasRoom: () => hasRoom(),
  })
  keepers.push(made)
  return {
    ...made,
    rate,
    pauses,
    signal: (why: 'recordings' | 'network') => wake(why),
    /** Resolves when it has nothing to do. */
    idle: () => vi.waitFor(() => expect(idle).toBeGreaterThan(0)),
    isStopped: () => isStopped,
  }
}

function teaching(size = 1000) {
  const bytes = randomBytes(size)
  const audioUrl = `/audio/${createHash('sha256').update(bytes).digest('hex')}.mp3`
  recordings.set(audioUrl, bytes)
  const title = `T${(names += 1)}`
  return {
    uid: title,
    title,
    speaker: 'S',
    date: '2026-11-22',
    audioUrl,
    audioBytes: size,
    audioMime: 'audio/mpeg',
  }
}

const states = async () => (await readRecordings(db)).map(({ title, state }) => `${title} ${state}`).sort()

beforeEach(() => {
  db = new AudioDatabase(`keeper-${(names += 1)}`)
})
afterEach(async () => {
  for (const made of keepers) made.stop()
  keepers = []
  answer = deliver
  hasRoom = () => Promise.resolve(false)
  await db.delete()
})

test('a refused recording does not hold up the others', async () => {
  const [gone, there] = [teaching(), teaching()]
  answer = (url) =>
    url.endsWith(gone.audioUrl)
      ? Response.json({ success: false, code: 'not_found', error: 'Deleted.' }, { status: 404 })
      : deliver(url)
  await saveRecording(gone, 1, db)
  await saveRecording(there, 2, db)
  keeper()
  await vi.waitFor(async () =>
    expect(await states()).toEqual([`${gone.title} refused`, `${there.title} ready`].sort()),
  )
})

test('retries after network failures with growing waits', async () => {
  let failures = 4
  answer = (url) => (failures-- > 0 ? new Response('', { status: 502 }) : deliver(url))
  const one = teaching()
  await saveRecording(one, 1, db)
  const { pauses } = keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  expect(pauses).toEqual([2000, 4000, 8000, 16_000])
})

test('a damaged recording delays no other', async () => {
  const [damaged, there, last] = [teaching(), teaching(), teaching()]
  const pausesBefore: number[] = []
  for (const [at, each] of [damaged, there, last].entries()) await saveRecording(each, at, db)
  const { pauses, signal } = keeper()
  answer = (url) => {
    pausesBefore.push(pauses.length)
    return url.endsWith(damaged.audioUrl) ? new Response(new Uint8Array(1000)) : deliver(url)
  }
  await vi.waitFor(async () =>
    expect(await states()).toEqual(
      [`${damaged.title} refused`, `${there.title} ready`, `${last.title} ready`].sort(),
    ),
  )
  expect(pauses).toEqual([2000, 4000])
  expect(pausesBefore).toEqual([0, 0, 0, 1, 2])
  answer = deliver
  await saveRecording(damaged, 4, db)
  signal('recordings')
  await vi.waitFor(async () => expect(await states()).toContain(`${damaged.title} ready`))
})

test('stopping during a request counts no failure', async () => {
  const one = teaching()
  let asked = 0
  answer = () => ((asked += 1), new Promise(() => {}))
  await saveRecording(one, 1, db)
  const here = keeper()
  await vi.waitFor(() => expect(asked).toBe(1))
  here.stop()
  expect(here.isStopped()).toBe(true)
  answer = deliver
  const { pauses } = keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  here.wake()
  expect(await db.recordings.toArray()).toMatchObject([{ attempts: 0 }])
  expect(pauses).toEqual([])
})

test('a full device is no failed attempt', async () => {
  const one = teaching()
  fillDeviceAt(db, 1, 1)
  await saveRecording(one, 1, db)
  let looks = 0
  hasRoom = () => Promise.resolve((looks += 1) > 0)
  const { pauses } = keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  expect([looks, pauses]).toEqual([1, []])
})

test('a failing host backs off as one recording', async () => {
  const all = Array.from({ length: 6 }, () => teaching())
  for (const [at, each] of all.entries()) await saveRecording(each, at, db)
  let asked = 0
  answer = (url) =>
    [1, 2, 3, 4, 5, 7].includes((asked += 1)) ? new Response('', { status: 503 }) : deliver(url)
  const { pauses } = keeper()
  await vi.waitFor(async () =>
    expect(await states()).toEqual(all.map(({ title }) => `${title} ready`).sort()),
  )
  expect(asked).toBe(6 + all.length)
  expect(pauses.slice(0, 6)).toEqual([2000, 4000, 8000, 16_000, 32_000, 2000])
})

test('only a person ends the wait that a host asked for', async () => {
  const one = teaching()
  await saveRecording(one, 1, db)
  const key = audioKeyOf(one.audioUrl)!
  let asked = 0
  answer = (url) =>
    (asked += 1) === 1 ? new Response('', { status: 503, headers: { 'retry-after': '60' } }) : deliver(url)
  const here = keeper({ isPatient: true })
  await vi.waitFor(async () => expect((await db.recordings.get(key))?.attempts).toBe(1))
  here.signal('network')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(asked).toBe(1)
  here.wake()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
})

test('automatic downloads leave people their share', async () => {
  const [newest, wanted] = [teaching(), teaching()]
  const here = keeper()
  await here.idle()
  const others = { base: '', fetch: async () => new Response() }
  for (let count = 0; count < requestLimits.perDevice - requestLimits.reserved; count += 1)
    await here.rate.transportOf(`entry ${count}`, others).fetch('/')
  await keepNewest(1, {}, db)
  await saveNewest([newest], 1, db)
  here.signal('recordings')
  await vi.waitFor(() => expect(here.pauses).toEqual([60_000]))
  await vi.waitFor(async () => expect(await states()).toEqual([`${newest.title} ready`]))
  for (let count = 0; count < requestLimits.perDevice - requestLimits.reserved; count += 1)
    await here.rate.transportOf(`entry ${count}`, others).fetch('/')
  await saveRecording(wanted, 2, db)
  here.signal('recordings')
  await vi.waitFor(async () => expect(await states()).toContain(`${wanted.title} ready`))
  expect(here.pauses).toEqual([60_000])
})

test('others are tried after the one that failed last', async () => {
  const [failing, there] = [teaching(), teaching()]
  await saveRecording(failing, 1, db)
  await saveRecording(there, 2, db)
  const asked: string[] = []
  answer = (url) => {
    asked.push(url.slice('http://t'.length))
    return url.endsWith(failing.audioUrl)
      ? new Response('', { status: 503, headers: { 'retry-after': '60' } })
      : deliver(url)
  }
  const here = keeper()
  await vi.waitFor(async () => expect(await states()).toContain(`${there.title} ready`))
  here.stop()
  expect(asked.slice(0, 2)).toEqual([failing.audioUrl, there.audioUrl])
})

test('fetches first what a person asked for', async () => {
  const [newest, asked] = [teaching(), teaching()]
  await keepNewest(1, {}, db)
  await saveNewest([newest], 1, db)
  await saveRecording(asked, 2, db)
  const order: string[] = []
  answer = (url) => (order.push(url.slice('http://t'.length)), deliver(url))
  keeper()
  await vi.waitFor(() => expect(order).toEqual([asked.audioUrl, newest.audioUrl]))
})

test('a full device without its mark asks once until there is room', async () => {
  const [one, other] = [teaching(), teaching()]
  await saveRecording(one, 1, db)
  await saveRecording(other, 2, db)
  // The chunk and the mark.
  fillDeviceAt(db, 0, 2)
  let asked = 0
  answer = (url) => ((asked += 1), deliver(url))
  let looks = 0
  hasRoom = () => Promise.resolve((looks += 1) > 1)
  const here = keeper()
  const heard = vi.fn()
  onTestFinished(here.room.onChange(heard))
  await vi.waitFor(() =>
    expect([asked, looks, here.room.isUnmarked(), heard.mock.calls.length]).toEqual([1, 1, true, 1]),
  )
  expect((await readRecordings(db)).map(({ problem }) => problem)).toEqual([undefined, undefined])
  here.signal('recordings')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([asked, looks]).toEqual([1, 1])
  here.wake()
  await vi.waitFor(async () =>
    expect(await states()).toEqual([`${one.title} ready`, `${other.title} ready`].sort()),
  )
  expect([looks, here.room.isUnmarked(), heard.mock.calls.length]).toEqual([2, false, 2])
})

test('a full device stops every download', async () => {
  const [one, other] = [teaching(), teaching()]
  await saveRecording(one, 1, db)
  await saveRecording(other, 2, db)
  let asked = 0
  answer = (url) => ((asked += 1), deliver(url))
  fillDeviceAt(db, 0, 1)
  keeper()
  const waiting = [`${one.title} waiting`, `${other.title} waiting`].sort()
  await vi.waitFor(async () => expect([asked, await states()]).toEqual([1, waiting]))
})

test('a full device keeps the held part, and asks no more', async () => {
  const playing = teaching(chunkBytes + 500)
  await holdAhead(playing, { now: 1 }, db)
  let asked = 0
  answer = (url) => ((asked += 1), deliver(url))
  // The chunk that follows the first one and its count.
  fillDeviceAt(db, 2, 1)
  keeper()
  await vi.waitFor(async () =>
    expect(await readAhead(db)).toMatchObject([{ bytes: chunkBytes, ahead: { isHeld: true } }]),
  )
  expect(asked).toBe(1)
})

test('room of held recordings is given to a saved one', async () => {
  const [held, saved] = [teaching(), teaching()]
  await db.chunks.put({ key: audioKeyOf(held.audioUrl)!, index: 0, data: new ArrayBuffer(1000) })
  await holdAhead(held, { now: 1 }, db)
  await saveRecording(saved, 2, db)
  fillDeviceAt(db, 0, 1)
  keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${saved.title} ready`]))
  expect([await readAhead(db), await db.chunks.count()]).toEqual([[], 1])
})

test('resumes when a recording is deleted on a full device', async () => {
  const [one, other] = [teaching(), teaching()]
  await saveRecording(one, 1, db)
  await saveRecording(other, 2, db)
  await db.recordings.update(audioKeyOf(one.audioUrl)!, { problem: 'device full' })
  // The note of the removal.
  fillDeviceAt(db, 0, 1)
  await dropRecording(audioKeyOf(other.audioUrl)!, db)
  keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
})

test('retries a recording of an earlier build', async () => {
  const one = teaching()
  await saveRecording(one, 1, db)
  await db.recordings.toCollection().modify((row) => {
    delete row.attempts
    delete row.nextAttemptAt
    delete row.notBefore
  })
  let failures = 1
  answer = (url) => (failures-- > 0 ? new Response('', { status: 502 }) : deliver(url))
  const { pauses } = keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  expect(pauses).toEqual([2000])
})

test.each([
  ['another recording ends no wait', 'recordings', [200_000]],
  ['the network ends the wait after failures, not the one that the server asked for', 'network', [60_000]],
  ['a person ends both waits', 'asked', []],
] as const)('%s', async (_, why, waits) => {
  const here = keeper()
  await here.idle()
  const one = teaching()
  await saveRecording(one, 1, db)
  const key = audioKeyOf(one.audioUrl)!
  await db.recordings.update(key, { nextAttemptAt: 201_000, notBefore: 61_000 })
  if (why === 'asked') here.wake()
  else here.signal(why)
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  expect(here.pauses).toEqual(waits)
})

test('survives a database that iOS closed', async () => {
  const one = teaching()
  await saveRecording(one, 1, db)
  vi.spyOn(db.recordings, 'filter').mockImplementationOnce(() => {
    throw new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  })
  const { pauses } = keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
  expect(pauses).toEqual([1000])
})

test('starts when a recording is saved while it is idle', async () => {
  const made = keeper()
  await made.idle()
  const one = teaching()
  await saveRecording(one, 1, db)
  made.signal('recordings')
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
})

test('a press in another tab ends the backoff', async () => {
  const one = teaching()
  await saveRecording(one, 1, db)
  await db.recordings.update(audioKeyOf(one.audioUrl)!, { attempts: 8, nextAttemptAt: 240_000 })
  const told = vi.fn()
  onTestFinished(whenRecordingsChange(db, told))
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1))
  await saveRecording(one, 2, db)
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2))
})

test('saves the newest except removed ones', async () => {
  const all = [teaching(), teaching(), teaching()]
  await saveNewest(all, 1, db)
  expect(await states()).toEqual([])
  await keepNewest(2, {}, db)
  await saveNewest(all, 1, db)
  expect(await readRecordings(db)).toHaveLength(2)
  await dropRecording((await readRecordings(db))[0]!.key, db)
  await saveNewest(all, 2, db)
  expect(await readRecordings(db)).toHaveLength(1)
  await saveNewest([teaching(), teaching(), ...all], 3, db)
  expect(await readRecordings(db)).toHaveLength(3)
})

test('saves small copies of the newest if chosen', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const copyUrl = `/audio/${'5a'.repeat(32)}.mp3`
  const copied = { ...teaching(), date: today, copyUrl, copyBytes: 7, copyMime: 'audio/mpeg', loudness: -20 }
  const measured = {
    ...teaching(),
    date: today,
    copyUrl: null,
    copyBytes: null,
    copyMime: null,
    loudness: -20,
  }
  const fresh = {
    ...teaching(),
    date: today,
    copyUrl: null,
    copyBytes: null,
    copyMime: null,
    loudness: null,
    transcriptRev: null,
  }
  const old = { ...fresh, ...teaching(), date: '2020-01-05' }
  const all = [fresh, copied, measured, old]
  await keepNewest(4, { small: true }, db)
  await saveNewest(all, Date.now(), db)
  const saved = async () => (await readRecordings(db)).map(({ url }) => url).sort()
  expect(await saved()).toEqual([copyUrl, measured.audioUrl, old.audioUrl].sort())
  // A saved recording stays when the choice changes, and a removed one stays removed.
  await dropRecording(audioKeyOf(copyUrl)!, db)
  await keepNewest(4, { small: false }, db)
  await saveNewest(all, Date.now(), db)
  expect(await saved()).toEqual([fresh.audioUrl, measured.audioUrl, old.audioUrl].sort())
})

test('waits a week for the small copy of a recording', async () => {
  const small = { copyUrl: null, copyBytes: null, copyMime: null, loudness: null, transcriptRev: null }
  const fresh = { ...teaching(), ...small, date: '2026-11-01' }
  await keepNewest(1, { small: true }, db)
  const week = Date.parse('2026-11-08')
  await saveNewest([fresh], week - 1, db)
  expect(await readRecordings(db)).toEqual([])
  await saveNewest([fresh], week, db)
  expect(await readRecordings(db)).toMatchObject([{ url: fresh.audioUrl }])
})

/** One that waits for room, and a keeper beside it; counts its requests. */
async function withoutRoom() {
  const one = teaching()
  await saveRecording(one, 1, db)
  await db.recordings.update(audioKeyOf(one.audioUrl)!, { problem: 'device full' })
  const asked: string[] = []
  answer = (url) => (asked.push(url), deliver(url))
  return { one, asked }
}

test('resumes at the next start with room', async () => {
  const { one } = await withoutRoom()
  hasRoom = () => Promise.resolve(true)
  keeper()
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
})

test('resumes on visibility with room', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { one, asked } = await withoutRoom()
  let looks = 0
  hasRoom = () => Promise.resolve((looks += 1) > 1)
  const here = keeper()
  await vi.waitFor(() => expect(looks).toBe(1))
  here.signal('network')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([looks, asked, await states()]).toEqual([1, [], [`${one.title} waiting`]])
  vi.advanceTimersByTime(60_000)
  here.signal('network')
  await vi.waitFor(async () => expect(await states()).toEqual([`${one.title} ready`]))
})

test('probes for room by writing, and leaves nothing behind', async () => {
  expect(await canStoreChunk(db)).toBe(true)
  fillDeviceAt(db, 0, 1)
  expect(await canStoreChunk(db)).toBe(false)
  expect(await db.chunks.count()).toBe(0)
})

test('resumes when a person removes a recording', async () => {
  const [large, small] = [teaching(), teaching()]
  await saveRecording(large, 1, db)
  await saveRecording(small, 2, db)
  for (const { key } of await readRecordings(db)) await db.recordings.update(key, { problem: 'device full' })
  const here = keeper()
  await here.idle()
  expect(await states()).toEqual([`${large.title} waiting`, `${small.title} waiting`])
  await dropRecording(audioKeyOf(small.audioUrl)!, db)
  here.wake()
  await vi.waitFor(async () => expect(await states()).toEqual([`${large.title} ready`]))
})

describe('another size of a saved recording', () => {
  const uid = 'both'
  const pair = () =>
    [teaching(5000), teaching(900)].map((each) => ({ ...each, uid })) as [
      ReturnType<typeof teaching>,
      ReturnType<typeof teaching>,
    ]
  const keysHere = async () => (await readRecordings(db)).map(({ key, state }) => [key, state])
  const keyOf = ({ audioUrl }: { audioUrl: string }) => audioKeyOf(audioUrl)!

  test('a failed replacement keeps the saved recording', async () => {
    const [original, small] = pair()
    await saveRecording(original, 1, db)
    keeper()
    await vi.waitFor(async () => expect(await keysHere()).toEqual([[keyOf(original), 'ready']]))
    answer = () =>
      new Response(JSON.stringify({ success: false, code: 'not_found', error: 'Gone.' }), { status: 404 })
    await saveInstead(small, original.audioUrl, 2, db)
    keeper().wake()
    await vi.waitFor(async () => expect((await db.recordings.get(keyOf(small)))?.state).toBe('refused'))
    expect((await db.recordings.get(keyOf(original)))?.state).toBe('ready')
    expect(await contiguousBytes(db, keyOf(original), 5000)).toBe(5000)
  })

  test('a replacement is fetched before the old one goes', async () => {
    const [original, small] = pair()
    await saveRecording(original, 1, db)
    keeper()
    await vi.waitFor(async () => expect(await keysHere()).toEqual([[keyOf(original), 'ready']]))
    await saveInstead(small, original.audioUrl, 2, db)
    expect(await db.recordings.get(keyOf(original))).toMatchObject({ state: 'ready' })
    keeper().wake()
    await vi.waitFor(async () => expect(await keysHere()).toEqual([[keyOf(small), 'ready']]))
    expect(
      await db.chunks
        .where('[key+index]')
        .between([keyOf(original), 0], [keyOf(original), 9])
        .count(),
    ).toBe(0)
    expect((await db.recordings.get(keyOf(small)))?.replaces).toBeUndefined()
  })

  test('switching back cancels the replacement', async () => {
    const [original, small] = pair()
    await saveRecording(original, 1, db)
    const downloads = keeper()
    await vi.waitFor(async () => expect(await keysHere()).toEqual([[keyOf(original), 'ready']]))
    downloads.stop()
    await saveInstead(small, original.audioUrl, 2, db)
    await saveInstead(original, small.audioUrl, 3, db)
    expect(await keysHere()).toEqual([[keyOf(original), 'ready']])
  })

  test('replaces an incomplete recording at once', async () => {
    const [original, small] = pair()
    await saveRecording(original, 1, db)
    await saveInstead(small, original.audioUrl, 2, db)
    expect(await keysHere()).toEqual([[keyOf(small), 'waiting']])
  })
})

test('saves the newest recordings of a page as they appear', async () => {
  // Without locks this page leads.
  for (const [name, value] of Object.entries({
    navigator: {},
    window: new EventTarget(),
    document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
  }))
    vi.stubGlobal(name, value)
  onTestFinished(async () => {
    vi.unstubAllGlobals()
    // Not deleted: later test files of this worker use the same open databases.
    const tables = [...appDatabase().tables, ...audioDatabase().tables]
    await Promise.all(tables.map((table) => table.clear()))
  })
  const [first, second] = [teaching(), teaching()].map((given, at) =>
    aTeaching({ ...given, id: at + 1, uid: crypto.randomUUID() }),
  ) as [Teaching, Teaching]
  const saved = async () => (await readRecordings()).map(({ teachingUid }) => teachingUid).sort()
  const page = startDownloads()
  keepers.push(page)
  await appDatabase().teachings.put(first)
  await keepNewest(2)
  await vi.waitFor(async () => expect(await saved()).toEqual([first.uid]))
  await appDatabase().teachings.put(second)
  await vi.waitFor(async () => expect(await saved()).toEqual([first.uid, second.uid].sort()))
})

import 'fake-indexeddb/auto'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AudioDatabase } from '../database/audio-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestLimits, requestRate } from '../engine/rate.ts'
import { holdAhead, readAhead } from './ahead-store.ts'
import { startDownloads } from './audio-downloads.ts'
import { audioKeyOf, keepNewest, saveNewest, saveRecording } from './audio-store.ts'

/** Downloads of recordings that play, or play next, beside the saved ones. */
let db: AudioDatabase
let names = 0
let stop = () => {}
let now: number
let played: Set<string> | undefined
/** The names of the requested recordings, in order, and the waits of the queue. */
let asked: string[]
let pauses: number[]
let answer: (name: string) => Response | Promise<Response>
let rate: ReturnType<typeof requestRate>

const contentOf = (name: string) => `Recording ${name}`
const size = contentOf('a').length
const digestOf = (name: string) => createHash('sha256').update(contentOf(name)).digest('hex')
const recording = (name: string) => ({
  uid: name,
  title: name,
  speaker: 'S',
  date: '2026-11-22',
  audioUrl: `/audio/${digestOf(name)}.mp3`,
  audioBytes: size,
  audioMime: 'audio/mpeg',
})
const keyOf = (name: string) => audioKeyOf(recording(name).audioUrl)!
const hold = (name: string) => holdAhead(recording(name), { now }, db)
const heldBytes = async () => (await readAhead(db)).map(({ title, bytes }) => [title, bytes])

beforeEach(() => {
  db = new AudioDatabase(`ahead-downloads-${(names += 1)}`)
  now = 1_000
  played = new Set(['a', 'b', 'c', 'd'].map(keyOf))
  asked = []
  pauses = []
  answer = (name) => new Response(contentOf(name))
  rate = requestRate(() => now)
})
afterEach(async () => {
  stop()
  await db.delete()
})

/** Starts the downloads; waits end at once, but for those without an end. */
function start(): void {
  const downloads = startDownloads({
    db,
    transport: {
      base: 'http://t',
      fetch: async (address) => {
        const name = ['a', 'b', 'c'].find((each) => String(address as string).includes(digestOf(each)))!
        asked.push(name)
        return answer(name)
      },
    },
    withLeaderLock: withoutLeaderLock,
    now: () => now,
    random: () => 1,
    rate,
    onWake: () => () => {},
    pause: async (ms, woken) => {
      if (ms === Infinity) return woken
      pauses.push(ms)
      now += ms
    },
    hasRoom: () => Promise.resolve(true),
    played: async () => played,
  })
  stop = () => downloads.stop()
}

test('fetches what plays after saved ones, before the newest', async () => {
  await keepNewest(1, {}, db)
  await saveNewest([recording('c')], 1, db)
  await hold('b')
  now += 1
  await saveRecording(recording('a'), now, db)
  start()
  await vi.waitFor(() => expect(asked).toEqual(['a', 'b', 'c']))
})

test('leaves what plays no longer, unless it is saved', async () => {
  await hold('a')
  await hold('b')
  await saveRecording(recording('c'), 2, db)
  played = new Set([keyOf('b')])
  start()
  await vi.waitFor(async () => expect(await heldBytes()).toContainEqual(['b', size]))
  expect(asked).toEqual(['c', 'b'])
})

test('fetches it if it cannot know what plays', async () => {
  await hold('a')
  played = undefined
  start()
  await vi.waitFor(async () => expect(await heldBytes()).toEqual([['a', size]]))
})

const busy = new Response('', { status: 503, headers: { 'retry-after': '60' } })
test.each([
  ['what plays within seconds', () => hold('a'), new TypeError('Failed to fetch'), 6_000],
  ['a saved one ever later', () => saveRecording(recording('a'), 1, db), new TypeError(), 16_000],
  ['what plays once a server allows it', () => hold('a'), busy, 60_000],
])('asks again for %s', async (_, begin, failure, longestMs) => {
  await begin()
  let failures = 4
  answer = (name) => {
    if (failures-- === 0) return new Response(contentOf(name))
    return failure instanceof Response ? failure.clone() : Promise.reject(failure)
  }
  start()
  await vi.waitFor(async () => expect(await db.recordings.toArray()).toMatchObject([{ state: 'ready' }]))
  expect(Math.max(...pauses)).toBe(longestMs)
})

test('what plays leaves people their share of requests', async () => {
  const others = { base: '', fetch: async () => new Response() }
  for (let count = 0; count < requestLimits.perDevice - requestLimits.reserved; count += 1)
    await rate.transportOf(`entry ${count}`, others).fetch('/')
  await hold('a')
  start()
  await vi.waitFor(() => expect(asked).toEqual(['a']))
  // It waited for the requests of the last minute.
  expect(now).toBeGreaterThan(60_000)
  stop()
  for (let count = 0; count < requestLimits.perDevice - requestLimits.reserved; count += 1)
    await rate.transportOf(`entry ${count}`, others).fetch('/')
  await saveRecording(recording('b'), now, db)
  const before = now
  start()
  await vi.waitFor(() => expect(asked).toEqual(['a', 'b']))
  expect(now).toBe(before)
})

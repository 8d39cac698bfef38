import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillDeviceAt } from '../../testing/crash.ts'
import { AudioDatabase } from '../database/audio-database.ts'
import { chunkBytes } from '../database/stored-files.ts'
import {
  contiguousBytes,
  dropRecording,
  findEvicted,
  keepNewest,
  notePlayed,
  readNewestCount,
  readRecordings,
  recordingBlob,
  saveInstead,
  saveNewest,
  saveRecording,
} from './audio-store.ts'

let db: AudioDatabase
beforeEach(() => {
  db = new AudioDatabase(`store-${Math.random()}`)
})
afterEach(() => db.delete())

const keyOf = (digit: number) => `${digit}`.repeat(64)
const teaching = (digit: number) => ({
  uid: `uid ${digit}`,
  title: `T${digit}`,
  speaker: 'S',
  date: '2026-11-22',
  audioUrl: `/audio/${keyOf(digit)}.mp3`,
  audioBytes: chunkBytes + 10,
  audioMime: 'audio/mpeg',
})
const keys = async () => (await readRecordings(db)).map(({ key }) => key)

/** A recording whose bytes are all here. */
async function whole(digit: number): Promise<string> {
  const key = keyOf(digit)
  await saveRecording(teaching(digit), digit, db)
  await db.chunks.bulkPut([
    { key, index: 0, data: new ArrayBuffer(chunkBytes) },
    { key, index: 1, data: new ArrayBuffer(10) },
  ])
  await db.recordings.update(key, { state: 'ready', bytes: chunkBytes + 10 })
  return key
}

describe('nothing is saved', () => {
  test.each([
    ['of a teaching without a recording', { audioUrl: null }],
    ['of one whose recording has another address', { audioUrl: '/elsewhere.mp3' }],
    ['of one whose recording has no known size', { audioBytes: null }],
  ])('%s', async (_, without) => {
    expect(await saveRecording({ ...teaching(1), ...without }, 1, db)).toBe(false)
    expect(await db.recordings.count()).toBe(0)
  })

  test('a replacement needs both audio URLs', async () => {
    await saveInstead(teaching(1), '/elsewhere.mp3', 1, db)
    expect(await keys()).toEqual([])
    const other = await whole(2)
    await saveInstead({ ...teaching(1), audioUrl: null }, teaching(2).audioUrl, 1, db)
    expect(await keys()).toEqual([other])
  })

  test('a second time of one that is here', async () => {
    const key = await whole(1)
    expect(await saveRecording(teaching(1), 5, db)).toBe(true)
    expect(await db.recordings.get(key)).toMatchObject({ state: 'ready', savedAt: 1 })
  })

  test('saves no newest recording unless asked', async () => {
    expect(await readNewestCount(db)).toBe(0)
    await keepNewest(2, {}, db)
    expect(await readNewestCount(db)).toBe(2)
    await keepNewest(0, {}, db)
    expect([await readNewestCount(db), await db.wishes.count()]).toEqual([0, 0])
    await saveNewest([teaching(1)], 1, db)
    expect(await keys()).toEqual([])
  })
})

test('lists recordings last saved first', async () => {
  for (const digit of [2, 3, 1]) await saveRecording(teaching(digit), 10 - digit, db)
  expect(await keys()).toEqual([keyOf(1), keyOf(2), keyOf(3)])
  await saveRecording(teaching(3), 20, db)
  expect(await keys()).toEqual([keyOf(1), keyOf(2), keyOf(3)])
  await dropRecording(keyOf(3), db)
  expect(await keys()).toEqual([keyOf(1), keyOf(2)])
  await saveRecording(teaching(3), 20, db)
  expect(await keys()).toEqual([keyOf(3), keyOf(1), keyOf(2)])
})

test('saving again is due at once', async () => {
  const other = await whole(2)
  await saveInstead(teaching(1), teaching(2).audioUrl, 1, db)
  const key = keyOf(1)
  await db.chunks.put({ key, index: 0, data: new ArrayBuffer(chunkBytes) })
  await db.recordings.update(key, {
    state: 'refused',
    problem: 'No.',
    attempts: 3,
    nextAttemptAt: 9,
    notBefore: 9,
  })
  await saveRecording(teaching(1), 2, db)
  const saved = (await db.recordings.get(key))!
  expect(saved).toMatchObject({
    state: 'waiting',
    bytes: chunkBytes,
    attempts: 0,
    nextAttemptAt: 0,
    notBefore: 0,
    replaces: other,
  })
  expect(saved).not.toHaveProperty('problem')
  expect((await db.recordings.get(other))!).not.toHaveProperty('replaces')
})

test('a saved replacement deletes the other recording', async () => {
  const [there, other] = [await whole(1), await whole(2)]
  await saveInstead(teaching(1), teaching(2).audioUrl, 5, db)
  expect(await db.recordings.toArray()).toMatchObject([{ key: there, state: 'ready' }])
  expect((await db.chunks.toArray()).map(({ key }) => key)).toEqual([there, there])
  expect(await db.recordings.get(other)).toBeUndefined()
})

test('a recording of no known kind is an MP3', async () => {
  await saveRecording({ ...teaching(1), audioMime: null }, 1, db)
  expect(await db.recordings.get(keyOf(1))).toMatchObject({ type: 'audio/mpeg' })
})

test('counts bytes up to the first gap', async () => {
  const key = keyOf(1)
  const put = (index: number) => db.chunks.put({ key, index, data: new ArrayBuffer(chunkBytes) })
  await put(1)
  expect(await contiguousBytes(db, key, 4 * chunkBytes)).toBe(0)
  await put(0)
  await put(3)
  expect(await contiguousBytes(db, key, 4 * chunkBytes)).toBe(2 * chunkBytes)
  expect(await contiguousBytes(db, key, chunkBytes + 10)).toBe(chunkBytes + 10)
  expect(await contiguousBytes(db, keyOf(2), 10)).toBe(0)
})

test('only recordings that were whole can be evicted', async () => {
  const there = await whole(1)
  await saveRecording(teaching(2), 2, db)
  const lost = await whole(3)
  await db.chunks.delete([lost, 1])
  expect(await findEvicted(db)).toEqual([lost])
  const states = new Map((await readRecordings(db)).map(({ key, state }) => [key, state]))
  expect([there, keyOf(2), lost].map((key) => states.get(key))).toEqual(['ready', 'waiting', 'evicted'])
})

test('a complete recording is one typed Blob', async () => {
  expect(await recordingBlob(keyOf(1), db)).toBeUndefined()
  const key = await whole(1)
  expect(await recordingBlob(key, db)).toMatchObject({ size: chunkBytes + 10, type: 'audio/mpeg' })
  await db.recordings.update(key, { state: 'waiting' })
  expect(await recordingBlob(key, db)).toBeUndefined()
})

test('removing a recording frees its bytes', async () => {
  const [gone, there] = [await whole(1), await whole(2)]
  await saveRecording(teaching(3), 3, db)
  await db.recordings.update(keyOf(3), { problem: 'device full' })
  await dropRecording(gone, db)
  expect((await db.chunks.toArray()).map(({ key }) => key)).toEqual([there, there])
  expect(await db.recordings.get(keyOf(3))).not.toHaveProperty('problem')
  expect(await db.recordings.get(gone)).toMatchObject({ state: 'dropped', bytes: 0 })
})

test('removes a recording from a full device', async () => {
  const key = await whole(1)
  fillDeviceAt(db, 0, 1)
  await dropRecording(key, db)
  expect([await db.recordings.count(), await db.chunks.count()]).toEqual([0, 0])
})

test('notes when a recording was played', async () => {
  const key = await whole(1)
  await notePlayed(key, 77, db)
  expect(await db.recordings.get(key)).toMatchObject({ lastPlayedAt: 77 })
})

import 'fake-indexeddb/auto'
import { aheadBudgetBytes } from '@fellowship/schema/audio/audio.limits'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AudioDatabase } from '../database/audio-database.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { bytesAhead, freeAhead, holdAhead, readAhead, trimAhead } from './ahead-store.ts'
import {
  dropRecording,
  findEvicted,
  keepNewest,
  readRecordings,
  saveNewest,
  saveRecording,
} from './audio-store.ts'

let db: AudioDatabase
let names = 0
beforeEach(() => {
  db = new AudioDatabase(`ahead-${(names += 1)}`)
})
afterEach(() => db.delete())

function teaching(audioBytes = chunkBytes * 3) {
  const hash = String((names += 1)).padStart(64, '0')
  return {
    uid: hash,
    title: `T${names}`,
    speaker: 'S',
    date: '2026-11-22',
    audioUrl: `/audio/${hash}.mp3`,
    audioBytes,
    audioMime: 'audio/mpeg',
  }
}
const keyOf = ({ uid }: { uid: string }) => uid

/** Holds it ahead with these chunks; whole if all are given. */
async function hold(made: ReturnType<typeof teaching>, now: number, chunks: readonly number[] = [0, 1, 2]) {
  expect(await holdAhead(made, { now, isPlayed: true }, db)).toBe('held')
  for (const index of chunks)
    await db.chunks.put({ key: keyOf(made), index, data: new ArrayBuffer(chunkBytes) })
  const isWhole = chunks.length * chunkBytes === made.audioBytes
  await db.recordings.update(keyOf(made), {
    bytes: chunks.length * chunkBytes,
    ...(isWhole && { state: 'ready' as const }),
  })
}

describe('the budget', () => {
  test('refuses a recording larger than the budget', async () => {
    expect(await holdAhead(teaching(aheadBudgetBytes + 1), { now: 1 }, db)).toBe('too large')
    expect(await db.recordings.count()).toBe(0)
  })

  test('refuses the next one that does not fit beside the playing one', async () => {
    const playing = teaching(60_000_000)
    await holdAhead(playing, { now: 1, isPlayed: true }, db)
    expect(await holdAhead(teaching(60_000_000), { now: 2, sparing: [keyOf(playing)] }, db)).toBe('too large')
    expect((await readAhead(db)).map(({ key }) => key)).toEqual([keyOf(playing)])
  })

  test('a smaller budget evicts the one heard longest ago', async () => {
    const [old, recent] = [teaching(), teaching()]
    await hold(old, 1)
    await hold(recent, 2)
    await trimAhead(db, chunkBytes * 6)
    expect(await readAhead(db)).toHaveLength(2)
    await trimAhead(db, chunkBytes * 6 - 1)
    expect((await readAhead(db)).map(({ key }) => key)).toEqual([keyOf(recent)])
  })

  test('evicts the one heard longest ago, never a saved one', async () => {
    const [saved, old, recent, now] = [teaching(), teaching(), teaching(), teaching()]
    await saveRecording(saved, 1, db)
    await hold(recent, 2)
    await hold(old, 3)
    // Heard again since.
    await hold(recent, 4)
    await holdAhead(now, { now: 5 }, db, chunkBytes * 6)
    expect((await readAhead(db)).map(({ key }) => key)).toEqual([keyOf(now), keyOf(recent)])
    expect(await db.chunks.where({ key: keyOf(old), index: 0 }).count()).toBe(0)
    expect((await readRecordings(db)).map(({ key }) => key)).toEqual([keyOf(saved)])
  })
})

describe('saving and removing', () => {
  test('a saved recording needs nothing ahead', async () => {
    const saved = teaching()
    await saveRecording(saved, 1, db)
    expect(await holdAhead(saved, { now: 2, isPlayed: true }, db)).toBe('saved')
    expect(await readRecordings(db)).toMatchObject([{ lastPlayedAt: 2 }])
    expect(await readAhead(db)).toEqual([])
  })

  test('saves a whole held recording without a download', async () => {
    const held = teaching()
    await hold(held, 1)
    await saveRecording(held, 2, db)
    expect(await readRecordings(db)).toMatchObject([{ state: 'ready', bytes: chunkBytes * 3, savedAt: 2 }])
    expect(await readAhead(db)).toEqual([])
    await freeAhead(() => true, db)
    expect(await db.chunks.count()).toBe(3)
  })

  test('the standing request saves held recordings too', async () => {
    const held = teaching()
    await hold(held, 1)
    await keepNewest(1, {}, db)
    await saveNewest([held], 2, db)
    expect(await readRecordings(db)).toMatchObject([{ state: 'ready', automatic: true }])
  })

  test('removing a played save holds it until room is needed', async () => {
    const saved = teaching()
    await hold(saved, 1)
    await saveRecording(saved, 2, db)
    await dropRecording(keyOf(saved), db, { holdsAhead: true, owner: 7 })
    expect(await readRecordings(db)).toEqual([])
    expect(await readAhead(db)).toMatchObject([{ state: 'ready', ahead: { owner: 7 } }])
    await keepNewest(1, {}, db)
    await saveNewest([saved], 3, db)
    expect(await readRecordings(db)).toEqual([])
    expect(await freeAhead(() => true, db)).toBe(chunkBytes * 3)
    expect(await db.chunks.count()).toBe(0)
    // Still no download by itself.
    await saveNewest([saved], 3, db)
    expect(await readRecordings(db)).toEqual([])
  })

  test('removing an unheard save frees its bytes', async () => {
    const saved = teaching()
    await saveRecording(saved, 2, db)
    await db.chunks.put({ key: keyOf(saved), index: 0, data: new ArrayBuffer(chunkBytes) })
    await db.recordings.update(keyOf(saved), { bytes: chunkBytes })
    await dropRecording(keyOf(saved), db, { holdsAhead: true })
    expect(await db.chunks.count()).toBe(0)
  })

  test('removing a played save without bytes holds nothing', async () => {
    const saved = teaching()
    await saveRecording(saved, 2, db)
    await db.recordings.update(keyOf(saved), { lastPlayedAt: 3 })
    await dropRecording(keyOf(saved), db, { holdsAhead: true })
    expect(await readAhead(db)).toEqual([])
    expect(await db.recordings.get(keyOf(saved))).toMatchObject({ state: 'dropped' })
  })

  test('removing on a full device frees the bytes', async () => {
    const [saved, waiting] = [teaching(), teaching()]
    await hold(saved, 1)
    await saveRecording(saved, 2, db)
    await saveRecording(waiting, 3, db)
    await db.recordings.update(keyOf(waiting), { problem: 'device full' })
    await dropRecording(keyOf(saved), db, { holdsAhead: true })
    expect(await db.chunks.count()).toBe(0)
    expect(await readAhead(db)).toEqual([])
  })
})

test('rows of earlier builds are saved recordings', async () => {
  const { ahead: _, ...row } = {
    ...(await rowOf(teaching())),
    state: 'ready' as const,
  }
  await db.recordings.put(row)
  expect(await readRecordings(db)).toHaveLength(1)
  expect(await freeAhead(() => true, db)).toBe(0)
  expect(await db.recordings.count()).toBe(1)
})

async function rowOf(made: ReturnType<typeof teaching>) {
  await holdAhead(made, { now: 1 }, db)
  return (await db.recordings.get(keyOf(made)))!
}

test('people see their own held recordings and those of nobody', async () => {
  const [mine, others, nobodys] = [teaching(), teaching(), teaching()]
  await holdAhead(nobodys, { now: 1 }, db)
  await holdAhead(mine, { now: 2, owner: 1 }, db)
  await holdAhead(others, { now: 3, owner: 2 }, db)
  const keys = async (owner: number | null) => (await readAhead(db, owner)).map(({ key }) => key)
  expect(await keys(1)).toEqual([keyOf(mine), keyOf(nobodys)])
  expect(await keys(null)).toEqual([keyOf(nobodys)])
  await freeAhead(({ ahead }) => ahead?.owner === 1, db)
  expect(await keys(1)).toEqual([keyOf(nobodys)])
})

test('measures what is here from a position on', async () => {
  const held = teaching(chunkBytes * 3 - 10)
  await hold(held, 1, [1, 2])
  const size = held.audioBytes
  expect(await bytesAhead(keyOf(held), { at: 5, size }, db)).toBe(0)
  expect(await bytesAhead(keyOf(held), { at: chunkBytes + 5, size }, db)).toBe(chunkBytes * 2 - 15)
})

test('a held recording that lost bytes is not offered again', async () => {
  const held = teaching()
  await hold(held, 1)
  await db.chunks.delete([keyOf(held), 1])
  expect(await findEvicted(db)).toEqual([])
  expect(await readAhead(db)).toMatchObject([{ state: 'waiting', ahead: { isHeld: true } }])
})

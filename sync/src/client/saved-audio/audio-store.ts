import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { audioKeyOf } from './audio-address.ts'
import { noBackoff } from '../engine/backoff.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'

export { audioKeyOf }

export type SavableTeaching = Pick<
  Teaching,
  'uid' | 'title' | 'speaker' | 'date' | 'audioUrl' | 'audioBytes' | 'audioMime'
>

/** All saved recordings, last saved first. For live queries. */
export async function readRecordings(db: AudioDatabase = audioDatabase()): Promise<SavedRecording[]> {
  const rows = await db.recordings.filter(({ state }) => state !== 'dropped').toArray()
  return rows.sort((a, b) => b.savedAt - a.savedAt)
}

/**
 * Adds a teaching's recording to those to be downloaded, also one that was evicted or refused. Returns false if the teaching
 * has no recording.
 */
export async function saveRecording(
  teaching: SavableTeaching,
  now: number,
  db: AudioDatabase = audioDatabase(),
): Promise<boolean> {
  const { uid, title, speaker, date, audioUrl, audioBytes, audioMime } = teaching
  const key = audioKeyOf(audioUrl)
  if (!key || !audioUrl || !audioBytes) return false
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    const present = await db.recordings.get(key)
    if (present?.state === 'ready') return
    const bytes = await contiguousBytes(db, key, audioBytes)
    await db.recordings.put({
      key,
      teachingUid: uid,
      title,
      speaker,
      date,
      url: audioUrl,
      size: audioBytes,
      type: audioMime ?? 'audio/mpeg',
      bytes,
      state: 'waiting',
      ...noBackoff,
      ...(present?.replaces !== undefined && { replaces: present.replaces }),
      savedAt: present && present.state !== 'dropped' ? present.savedAt : now,
    })
  })
  return true
}

/**
 * Saves a recording of a teaching in place of its other one, the original or the small copy. One that is saved stays, and
 * plays, until the new one is whole.
 *
 * @param otherUrl the address of the other one
 */
export async function saveInstead(
  teaching: SavableTeaching,
  otherUrl: string,
  now: number,
  db: AudioDatabase = audioDatabase(),
): Promise<void> {
  const key = audioKeyOf(teaching.audioUrl)
  const otherKey = audioKeyOf(otherUrl)
  if (!key || !otherKey) return
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    await saveRecording(teaching, now, db)
    const other = await db.recordings.get(otherKey)
    const isReady = (await db.recordings.get(key))?.state === 'ready'
    if (other?.state === 'ready' && !isReady) await db.recordings.update(key, { replaces: otherKey })
    else await deleteRecording(otherKey, db)
  })
}

/** Deletes a recording and forgets that it was here. Call it in a transaction over both tables. */
export async function deleteRecording(key: string, db: AudioDatabase): Promise<void> {
  await db.recordings.delete(key)
  await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).delete()
}

/** How many of the newest teachings are saved as they appear; 0 for none. */
export async function readNewestCount(db: AudioDatabase = audioDatabase()): Promise<number> {
  return (await db.wishes.get('newest'))?.count ?? 0
}

/** @param small whether the smaller recordings are saved, if there are any */
export async function keepNewest(
  count: number,
  { small = false }: { small?: boolean } = {},
  db: AudioDatabase = audioDatabase(),
): Promise<void> {
  if (count > 0) await db.wishes.put({ kind: 'newest', count, small })
  else await db.wishes.delete('newest')
}

/** A teaching with the fields of its smaller recording; devices may hold rows from before there were any. */
type NewestTeaching = SavableTeaching &
  Partial<Pick<Teaching, 'copyUrl' | 'copyBytes' | 'copyMime' | 'loudness'>>

/**
 * Adds the newest teachings that the standing request asks for and that were never saved here: a recording that a person
 * removed is not downloaded again.
 */
export async function saveNewest(
  newestFirst: readonly NewestTeaching[],
  now: number,
  db: AudioDatabase = audioDatabase(),
): Promise<void> {
  const { count = 0, small = false } = (await db.wishes.get('newest')) ?? {}
  const wanted = newestFirst.filter(({ audioUrl }) => audioKeyOf(audioUrl)).slice(0, count)
  for (const teaching of wanted) {
    const keys = [teaching.audioUrl, teaching.copyUrl ?? null].flatMap((url) => audioKeyOf(url) ?? [])
    const known = await db.recordings.bulkGet(keys)
    if (known.some((recording) => recording) || (small && mayGetCopy(teaching, now))) continue
    await saveRecording(small ? smallestOf(teaching) : teaching, now, db)
  }
}

/** The smaller recording of a teaching in place of its recording, if there is one. */
function smallestOf(teaching: NewestTeaching): SavableTeaching {
  const { copyUrl, copyBytes, copyMime } = teaching
  if (!copyUrl || !copyBytes || !copyMime) return teaching
  return { ...teaching, audioUrl: copyUrl, audioBytes: copyBytes, audioMime: copyMime }
}

/** Whether a recent recording, not measured yet, may soon have a small copy; waiting for it saves mobile data. */
const mayGetCopy = ({ loudness, date }: NewestTeaching, now: number): boolean =>
  typeof loudness !== 'number' && now - Date.parse(date) < waitingMs

const waitingMs = 7 * 24 * 60 * 60_000

/** Deletes a recording at a person's request; downloads that waited for room resume. */
export async function dropRecording(key: string, db: AudioDatabase = audioDatabase()): Promise<void> {
  try {
    await dropAndNote(db, key)
  } catch {
    // On a full device the row cannot be written before there is room.
    await db.transaction('rw', db.recordings, db.chunks, () => deleteRecording(key, db))
  }
}

async function dropAndNote(db: AudioDatabase, key: string): Promise<void> {
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    await db.recordings.update(key, { state: 'dropped', bytes: 0, problem: undefined })
    await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).delete()
    await resumeWithRoom(db)
  })
}

/** Marks recordings whose bytes the browser deleted as evicted. Returns their keys. */
export async function findEvicted(db: AudioDatabase = audioDatabase()): Promise<string[]> {
  const evicted: string[] = []
  for (const { key, size } of await db.recordings.filter(({ state }) => state === 'ready').toArray()) {
    await db.transaction('rw', db.recordings, db.chunks, async () => {
      const bytes = await contiguousBytes(db, key, size)
      if (bytes === size) return
      await db.recordings.update(key, { state: 'evicted', bytes })
      evicted.push(key)
    })
  }
  return evicted
}

export async function notePlayed(
  key: string,
  now: number,
  db: AudioDatabase = audioDatabase(),
): Promise<void> {
  await db.recordings.update(key, { lastPlayedAt: now })
}

/** The recording as one Blob, for a page without a service worker; undefined unless every byte is here. */
export async function recordingBlob(
  key: string,
  db: AudioDatabase = audioDatabase(),
): Promise<Blob | undefined> {
  return db.transaction('r', db.recordings, db.chunks, async () => {
    const recording = await db.recordings.get(key)
    if (recording?.state !== 'ready') return undefined
    const chunks = await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).toArray()
    const blob = new Blob(
      chunks.map(({ data }) => data),
      { type: recording.type },
    )
    return blob.size === recording.size ? blob : undefined
  })
}

/** Bytes from the start without a gap, counted by whole chunks (the last one may be short). */
export async function contiguousBytes(db: AudioDatabase, key: string, size: number): Promise<number> {
  const keys = await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).primaryKeys()
  let count = 0
  for (const [, index] of keys) {
    if (index !== count) break
    count += 1
  }
  return Math.min(count * chunkBytes, size)
}

/** Stopped by a full device, until there is room. */
export const isWithoutRoom = ({ problem }: SavedRecording): boolean => problem === 'device full'

/** Resumes the downloads that a full device stopped. */
async function resumeWithRoom(db: AudioDatabase): Promise<void> {
  await db.recordings.filter(isWithoutRoom).modify((recording) => void delete recording.problem)
}

/**
 * Detects room that was made outside of the app, which browsers do not report. The returned function checks, once a
 * minute at most, and resolves to whether downloads were resumed.
 */
export function roomProbe(db: AudioDatabase, hasRoom: () => Promise<boolean>): () => Promise<boolean> {
  let askedAt = -Infinity
  return async () => {
    if (performance.now() - askedAt < probeEveryMs) return false
    if ((await db.recordings.filter(isWithoutRoom).count()) === 0) return false
    askedAt = performance.now()
    if (!(await hasRoom())) return false
    await resumeWithRoom(db)
    return true
  }
}

const probeEveryMs = 60_000

/** Whether the device can store another chunk: writes one and deletes it, as the browser's estimate is not reliable. */
export async function canStoreChunk(db: AudioDatabase): Promise<boolean> {
  const data = new Uint8Array(chunkBytes)
  // Random bytes, which cannot be compressed.
  for (let at = 0; at < chunkBytes; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536))
  try {
    await db.chunks.put({ key: probeKey, index: 0, data: data.buffer })
    return true
  } catch {
    return false
  } finally {
    await db.chunks.delete([probeKey, 0]).catch(() => undefined)
  }
}

/** Not the key of a recording, as it is no hash. */
const probeKey = 'room'

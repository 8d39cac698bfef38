import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { audioKeyOf } from './audio-address.ts'
import { noBackoff } from '../engine/backoff.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { isWithoutRoom, resumeWithRoom } from './device-room.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'

export { audioKeyOf }

export type SavableTeaching = Pick<
  Teaching,
  'uid' | 'title' | 'speaker' | 'date' | 'audioUrl' | 'audioBytes' | 'audioMime'
>

/** All saved recordings, last saved first. For live queries. */
export async function readRecordings(db: AudioDatabase = audioDatabase()): Promise<SavedRecording[]> {
  const rows = await db.recordings.filter(({ state, ahead }) => state !== 'dropped' && !ahead).toArray()
  return rows.sort((a, b) => b.savedAt - a.savedAt)
}

/**
 * Adds a teaching's recording to those to be downloaded, also one that was evicted or refused. Returns false if the teaching
 * has no recording.
 *
 * @param options.automatic if no person asked for it: it is downloaded after those that one did
 */
export async function saveRecording(
  teaching: SavableTeaching,
  now: number,
  db: AudioDatabase = audioDatabase(),
  { automatic = false }: { automatic?: boolean } = {},
): Promise<boolean> {
  const { uid, title, speaker, date, audioUrl, audioBytes, audioMime } = teaching
  const key = audioKeyOf(audioUrl)
  if (!key || !audioUrl || !audioBytes) return false
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    const present = await db.recordings.get(key)
    // Bytes that are held for playing are saved without a download.
    if (present?.state === 'ready')
      return void (
        present.ahead &&
        (await db.recordings.put({ ...savedOf(present, now), ...(automatic && { automatic }) }))
      )
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
      ...(automatic && { automatic }),
      ...(present?.replaces !== undefined && { replaces: present.replaces }),
      ...(present?.lastPlayedAt !== undefined && { lastPlayedAt: present.lastPlayedAt }),
      savedAt: present && present.state !== 'dropped' && !present.ahead ? present.savedAt : now,
    })
  })
  return true
}

function savedOf(held: SavedRecording, now: number): SavedRecording {
  const saved = { ...held, savedAt: now }
  delete saved.ahead
  return saved
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
    const isKnown = known.some((recording) => recording && (!recording.ahead || recording.ahead.removed))
    if (isKnown || (small && mayGetCopy(teaching, now))) continue
    await saveRecording(small ? smallestOf(teaching) : teaching, now, db, { automatic: true })
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

/**
 * Removes a recording from the saved ones at a person's request; downloads that waited for room resume.
 *
 * @param options.holdsAhead leaves the bytes of a recording that was played, as if they had been fetched while it played
 */
export async function dropRecording(
  key: string,
  db: AudioDatabase = audioDatabase(),
  { holdsAhead = false, owner }: { holdsAhead?: boolean; owner?: number | undefined } = {},
): Promise<void> {
  try {
    if (holdsAhead && (await holdInstead(db, key, owner))) return
    await dropAndNote(db, key)
  } catch {
    // On a full device the row cannot be written before there is room.
    await db.transaction('rw', db.recordings, db.chunks, () => deleteRecording(key, db))
    await resumeWithRoom(db).catch(() => undefined)
  }
}

/** Returns false if it has no bytes that were played. On a full device the room is more useful to others. */
async function holdInstead(db: AudioDatabase, key: string, owner: number | undefined): Promise<boolean> {
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    const recording = await db.recordings.get(key)
    const isFull = (await db.recordings.filter(isWithoutRoom).count()) > 0
    // One that was removed before has no bytes either.
    if (!recording?.lastPlayedAt || recording.bytes === 0 || isFull) return false
    await db.recordings.update(key, {
      ahead: { from: 0, isHeld: true, removed: true, ...(owner !== undefined && { owner }) },
      state: recording.state === 'ready' ? 'ready' : 'waiting',
      automatic: undefined,
      replaces: undefined,
      problem: undefined,
    })
    return true
  })
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
  for (const { key, size, ahead } of await db.recordings.filter(({ state }) => state === 'ready').toArray()) {
    await db.transaction('rw', db.recordings, db.chunks, async () => {
      const bytes = await contiguousBytes(db, key, size)
      if (bytes === size) return
      // It is fetched again when it is played again.
      if (ahead)
        return void (await db.recordings.update(key, {
          state: 'waiting',
          bytes,
          ahead: { ...ahead, isHeld: true },
        }))
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

/** Indexes of the chunks that are here, in order. */
export async function chunksHere(db: AudioDatabase, key: string): Promise<number[]> {
  const keys = await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).primaryKeys()
  return keys.map(([, index]) => index)
}

/** Bytes from the start without a gap, counted by whole chunks (the last one may be short). */
export async function contiguousBytes(db: AudioDatabase, key: string, size: number): Promise<number> {
  let count = 0
  for (const index of await chunksHere(db, key)) {
    if (index !== count) break
    count += 1
  }
  return Math.min(count * chunkBytes, size)
}

import { aheadBudgetBytes } from '@fellowship/schema/audio/audio.limits'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { noBackoff } from '../engine/backoff.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { audioKeyOf } from './audio-address.ts'
import { chunksHere, deleteRecording, type SavableTeaching } from './audio-store.ts'

/*
 * Recordings that are fetched while they play, so that they go on without signal. They share rows and chunks with the saved
 * ones; a saved recording is never removed here.
 */

/** Before the rest of a recording that has just begun is fetched. */
const settlingMs = 1_500

export interface AheadRequest {
  /** Epoch milliseconds. */
  now: number
  /** Id of the signed-in user. */
  owner?: number | undefined
  /** The byte at which it plays; those of later chunks are fetched. */
  at?: number
  /** Keys that must stay: the recordings that are playing, and the next one. */
  sparing?: readonly string[]
  /** Whether it plays now, or is the next one. */
  isPlayed?: boolean
}

/**
 * Adds a recording to those that are held ahead, and makes room for it: the one heard longest ago goes first.
 *
 * @returns saved: it needs nothing · too large: it does not fit beside those that must stay
 */
export async function holdAhead(
  teaching: SavableTeaching,
  { now, owner, at = 0, sparing = [], isPlayed = false }: AheadRequest,
  db: AudioDatabase = audioDatabase(),
  budget = aheadBudgetBytes,
): Promise<'held' | 'saved' | 'too large' | 'no recording'> {
  const { uid, title, speaker, date, audioUrl, audioBytes, audioMime } = teaching
  const key = audioKeyOf(audioUrl)
  if (!key || !audioUrl || !audioBytes) return 'no recording'
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    const present = await db.recordings.get(key)
    const isSaved = present !== undefined && !present.ahead && present.state !== 'dropped'
    if (isSaved) {
      if (isPlayed) await db.recordings.update(key, { lastPlayedAt: now })
      return 'saved'
    }
    const staying = [...sparing, key]
    if (!(await makeRoom(db, budget - audioBytes, staying, key))) return 'too large'
    const from = Math.floor(at / chunkBytes)
    const known = present?.ahead
    const lastPlayedAt = isPlayed ? now : present?.lastPlayedAt
    const removed = present?.state === 'dropped' || known?.removed
    await db.recordings.put({
      key,
      teachingUid: uid,
      title,
      speaker,
      date,
      url: audioUrl,
      size: audioBytes,
      type: audioMime ?? 'audio/mpeg',
      bytes: await bytesHere(db, key, audioBytes),
      // Refused once: asked for again, as the server may have it by now.
      state: present?.state === 'ready' ? 'ready' : 'waiting',
      ...noBackoff,
      // The player comes first, and stores what it has fetched by then.
      ...(!known && isPlayed && { nextAttemptAt: now + settlingMs }),
      ahead: {
        from,
        ...(owner !== undefined && { owner }),
        ...(removed && { removed }),
      },
      savedAt: known ? present!.savedAt : now,
      ...(lastPlayedAt !== undefined && { lastPlayedAt }),
    })
    return 'held'
  })
}

/** All of them, last heard first; of one owner, with those of nobody, if `owner` is given. For live queries. */
export async function readAhead(
  db: AudioDatabase = audioDatabase(),
  owner?: number | null,
): Promise<SavedRecording[]> {
  const rows = await db.recordings.filter(({ ahead }) => ahead !== undefined).toArray()
  return rows
    .filter(({ ahead }) => owner === undefined || ahead!.owner === undefined || ahead!.owner === owner)
    .sort((a, b) => heardAt(b) - heardAt(a))
}

/** Removes those heard longest ago if all together take more than the budget. */
export async function trimAhead(
  db: AudioDatabase = audioDatabase(),
  budget = aheadBudgetBytes,
): Promise<void> {
  await db.transaction('rw', db.recordings, db.chunks, () => makeRoom(db, budget, []))
}

/** Removes those that fit the filter and returns their bytes. */
export async function freeAhead(
  isWanted: (recording: SavedRecording) => boolean = () => true,
  db: AudioDatabase = audioDatabase(),
): Promise<number> {
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    const rows = (await readAhead(db)).filter(isWanted)
    for (const row of rows) await release(db, row)
    return rows.reduce((sum, { bytes }) => sum + bytes, 0)
  })
}

/** Removes those heard longest ago until the others take no more than `bytes`; false if those that stay take more. */
async function makeRoom(
  db: AudioDatabase,
  bytes: number,
  staying: readonly string[],
  coming?: string,
): Promise<boolean> {
  const rows = (await readAhead(db)).filter(({ key }) => key !== coming)
  const needed = rows.filter(({ key }) => staying.includes(key)).reduce((sum, row) => sum + roomOf(row), 0)
  if (needed > bytes) return false
  let taken = rows.reduce((sum, row) => sum + roomOf(row), 0)
  for (const row of rows.reverse()) {
    if (taken <= bytes) break
    if (staying.includes(row.key)) continue
    await release(db, row)
    taken -= roomOf(row)
  }
  return true
}

/** A recording that is still fetched will take its size. */
const roomOf = ({ state, ahead, bytes, size }: SavedRecording): number =>
  state === 'ready' || ahead?.isHeld ? bytes : size

const heardAt = ({ lastPlayedAt, savedAt }: SavedRecording): number => lastPlayedAt ?? savedAt

/** One that a person removed stays known, so that the standing request does not download it again. */
async function release(db: AudioDatabase, { ahead, ...recording }: SavedRecording): Promise<void> {
  await deleteRecording(recording.key, db)
  if (ahead?.removed) await db.recordings.put({ ...recording, state: 'dropped', bytes: 0 })
}

/** Bytes of the chunks that are here. */
export async function bytesHere(db: AudioDatabase, key: string, size: number): Promise<number> {
  const chunks = await chunksHere(db, key)
  return chunks.reduce((sum, index) => sum + Math.max(0, Math.min(chunkBytes, size - index * chunkBytes)), 0)
}

/** Bytes that are here from `at` on without a gap; for how long it plays without signal. */
export async function bytesAhead(
  key: string,
  { at, size }: { at: number; size: number },
  db: AudioDatabase = audioDatabase(),
): Promise<number> {
  const here = new Set(await chunksHere(db, key))
  let until = Math.floor(at / chunkBytes)
  while (here.has(until)) until += 1
  return Math.max(0, Math.min(until * chunkBytes, size) - at)
}

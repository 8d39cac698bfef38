import { movedAudioDays, recordingWalk } from '@fellowship/schema/audio/audio.limits'
import type { RecordingHealth } from '@fellowship/schema/system/health-words'
import { audioExtensions } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { runWhenDue } from '../../db/locks.ts'
import { manyStats } from '../../machine/storage/blob-store.ts'
import { type StoredHash, withStoredHashes } from '../../machine/storage/file-hash.ts'
import {
  checkCounts,
  type CheckedRecording,
  checkedRecordings,
  faultyTeachings,
  hasFault,
  type LiveRecording,
  liveRecordings,
  movedTo,
  noteCheck,
  type RecordingFault,
  recordingsToHash,
} from './audio.sql.ts'

export { soundOf, type LiveRecording } from './audio.sql.ts'
export {
  keepOriginal,
  originalName,
  originalRecordings,
  removeBackedUpOriginals,
  removeUnpublishedOriginal,
  type OriginalRecording,
} from './original-recordings.ts'
export { purgeOldRecordings, recordingKey } from './storage-care.ts'

/** The address of a recording, by its name: the SHA-256 of its bytes, and its format. */
export const recordingAddress = new RegExp(`^/audio/(([0-9a-f]{64})\\.(${audioExtensions.join('|')}))$`)

/** Live recordings by hash, read once per change: a range request makes no query. */
export function recordingsByHash({
  sql,
  changes,
}: Context): () => Promise<ReadonlyMap<string, LiveRecording>> {
  let known: Promise<ReadonlyMap<string, LiveRecording>> | undefined
  changes.listen(() => (known = undefined))
  return () => {
    if (known) return known
    const reading = liveRecordings(sql).then((rows) => new Map(rows.map((row) => [row.sha256, row])))
    known = reading
    reading.catch(() => {
      if (known === reading) known = undefined
    })
    return reading
  }
}

/** The address of a recording's replacement, for 30 days after it was replaced. */
export function addressAfter({ sql }: Context, sha256: string): Promise<string | undefined> {
  return movedTo(sql, sha256, movedAudioDays)
}

/** Whether a recording was replaced within a day: players that have begun it may fetch the rest. */
export const wasJustReplaced = async ({ sql }: Context, sha256: string): Promise<boolean> =>
  (await movedTo(sql, sha256, 1)) !== undefined

type Care = Pick<Context, 'sql' | 'locks' | 'storage' | 'log'>

/**
 * Looks whether the file of every live recording is there with its size, and compares those with a known fault again. Meant
 * to run in the background after the start: it reads no bytes of sound files.
 */
export async function checkRecordingsAtStart(context: Care): Promise<void> {
  const { sql, storage, log } = context
  const doubtful: CheckedRecording[] = []
  const statOf = await manyStats(storage, 'audio')
  for (const recording of await checkedRecordings(sql)) {
    const { sha256, audioUrl, audioBytes, fault } = recording
    const stored = await statOf(nameOf(audioUrl))
    const seen: RecordingFault | null = !stored ? 'missing' : stored.bytes === audioBytes ? null : 'damaged'
    if (seen !== null && seen !== fault) {
      log.error({ sha256, fault: seen }, 'the file of a recording is not as it was stored')
      await noteCheck(sql, { sha256, fault: seen, hashed: false })
    } else if (seen === null && fault !== null) doubtful.push(recording)
  }
  await withStoredHashes(storage, 'audio', async (hashOf) => {
    for (const recording of doubtful) await compare(context, hashOf, recording)
  })
}

/**
 * Once a week compares a share of the library with its hashes, so that each recording has its turn, and those with a known
 * fault again.
 *
 * @returns whether the walk was due and ran
 */
export async function walkRecordings(context: Care): Promise<boolean> {
  return runWhenDue(context, { name: 'recording walk', days: recordingWalk.everyDays }, () =>
    withStoredHashes(context.storage, 'audio', async (hashOf) => {
      for (const recording of await recordingsToHash(context.sql, recordingWalk.share)) {
        await compare(context, hashOf, recording)
      }
    }),
  )
}

/** Compares the damaged files of live recordings with their hashes, and stores the results. */
export async function compareRecordings(context: Care, sha256s: readonly string[]): Promise<void> {
  const recordings = await checkedRecordings(context.sql, sha256s)
  if (recordings.length === 0) return
  await withStoredHashes(context.storage, 'audio', async (hashOf) => {
    for (const recording of recordings) await compare(context, hashOf, recording)
  })
}

/** The results of all checks of the library's files, for System Info. */
export async function recordingHealth({ sql }: Pick<Context, 'sql'>): Promise<RecordingHealth> {
  const faulty = await faultyTeachings(sql)
  return { ...(await checkCounts(sql, recordingWalk.everyDays / recordingWalk.share)), faulty }
}

/**
 * Records that the file of a recording is intact now.
 *
 * @param found whether the file was just found to be damaged
 * @returns whether it had a fault, found now or earlier
 */
export async function noteMended(
  { sql }: Pick<Context, 'sql'>,
  sha256: string,
  { found }: { found: boolean },
): Promise<boolean> {
  if (!found && !(await hasFault(sql, sha256))) return false
  await noteCheck(sql, { sha256, fault: null, hashed: true })
  return true
}

async function compare(
  { sql, storage, log }: Care,
  hashOf: StoredHash,
  { sha256, audioUrl, audioBytes, fault: before }: CheckedRecording,
): Promise<void> {
  const name = nameOf(audioUrl)
  const stored = await storage.stat('audio', name)
  const fault: RecordingFault | null = !stored
    ? 'missing'
    : stored.bytes === audioBytes && (await hashOf(name, stored.bytes)) === sha256
      ? null
      : 'damaged'
  if (fault !== null && fault !== before)
    log.error({ sha256, fault }, 'the file of a recording is not as it was stored')
  await noteCheck(sql, { sha256, fault, hashed: true })
}

const nameOf = (audioUrl: string) => audioUrl.slice('/audio/'.length)

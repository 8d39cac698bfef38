import type { audio, AudioStats, Orphan } from '@fellowship/schema/audio/audio.contract'
import { movedAudioDays, orphanHours } from '@fellowship/schema/audio/audio.limits'
import { counted } from '@fellowship/schema/counted'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { type Actor, writeAudit } from '../../db/audit-log.ts'
import type { StoredFile } from '../../machine/storage/storage.ts'
import { purgeBin } from '../teachings/teachings.ts'
import { countAll, forgetMoved, movedLonger, neededRecordings } from './audio.sql.ts'

/** Counts of recordings on disk and in the library, and the orphans among them. Sizes in bytes. */
export async function audioStatistics(context: Context): Promise<AudioStats> {
  const { referenced, ...counts } = await countAll(context.sql)
  const { totalFiles, totalSize, orphans } = await survey(context)
  return {
    ...counts,
    totalFiles,
    referencedFiles: referenced,
    orphanedFiles: orphans.length,
    totalSize,
    orphanedSize: orphans.reduce((sum, { bytes }) => sum + bytes, 0),
    orphans,
  }
}

/**
 * Deletes recordings without references if they have not changed for a day. Recordings of the bin, replaced ones and
 * those of uploads in progress are kept, and counted.
 */
export async function cleanUpAudio(
  context: Context,
  actor: Actor | null,
): Promise<AnswerOf<typeof audio.cleanup>> {
  const { orphans, kept } = await survey(context)
  const deleted: string[] = []
  const errors: string[] = []
  for (const { name } of orphans) {
    try {
      if (await removeOrphan(context, name)) deleted.push(name)
    } catch (error) {
      context.log.error({ err: error, name }, 'an orphaned recording could not be deleted')
      errors.push(name)
    }
  }
  if (deleted.length + errors.length > 0) {
    const details = { deleted, errors }
    const entry = {
      actor,
      action: 'audio.cleaned_up',
      subject: counted(deleted.length, 'recording'),
      details,
    }
    await writeAudit(context.sql, entry, context.clock.now())
  }
  return { deleted, errors, kept }
}

/** The recordings on disk: the orphans, and the number of others that the library does not show. */
async function survey(context: Context) {
  const { storage, sql } = context
  const needed = await neededRecordings(sql, movedAudioDays)
  const orphans: Orphan[] = []
  let totalFiles = 0
  let totalSize = 0
  let unneeded = 0
  for await (const file of storage.list('audio')) {
    const { name, bytes, modifiedAt } = file
    totalFiles += 1
    totalSize += bytes
    if (needed.has(hashOf(name))) continue
    unneeded += 1
    if (isOld(context, file)) orphans.push({ name, bytes, modifiedAt: modifiedAt.toISOString() })
  }
  return { totalFiles, totalSize, orphans, kept: unneeded - orphans.length }
}

/** Checks again under the recording's lock, so that an upload cannot settle the file meanwhile. */
async function removeOrphan(context: Context, name: string): Promise<boolean> {
  return context.locks.run(recordingKey(hashOf(name)), async () => {
    const needed = await neededRecordings(context.sql, movedAudioDays)
    const file = await context.storage.stat('audio', name)
    if (!file || needed.has(hashOf(name)) || !isOld(context, file)) return false
    return context.storage.remove('audio', name)
  })
}

/** A file that was written or placed within the last day may belong to an upload in progress. */
function isOld({ clock }: Context, { modifiedAt, placedAt }: StoredFile): boolean {
  const last = Math.max(modifiedAt.getTime(), placedAt.getTime())
  return clock.now().getTime() - last > orphanHours * 60 * 60_000
}

const hashOf = (name: string) => name.split('.', 1)[0]!

/**
 * Deletes the recordings of teachings that were deleted, or that were replaced, more than 30 days ago. The rows go first:
 * a crash in between leaves files for the next cleanup.
 */
export async function purgeOldRecordings(context: Context): Promise<void> {
  const { sql, storage, locks } = context
  const names = [...(await purgeBin(context))]
  const { due, total } = await movedLonger(sql, movedAudioDays)
  if (await maySweep(sql, { name: 'replaced', due: due.size, total })) {
    await forgetMoved(sql, due, movedAudioDays)
    for await (const { name } of storage.list('audio')) if (due.has(hashOf(name))) names.push(name)
  }
  for (const name of names) {
    await locks.run(recordingKey(hashOf(name)), async () => {
      const needed = await neededRecordings(sql, movedAudioDays)
      if (!needed.has(hashOf(name))) await storage.remove('audio', name)
    })
  }
}

/**
 * The key of the lock for placing or removing the file of a recording: two uploads of the same bytes settle the same file,
 * and a cleanup must not remove it while an upload is about to refer to it.
 */
export const recordingKey = (sha256: string): string => `recording ${sha256}`

import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { audio, AudioStats, Orphan } from '@fellowship/schema/audio/audio.contract'
import { movedAudioDays, orphanHours } from '@fellowship/schema/audio/audio.limits'
import { counted } from '@fellowship/schema/counted'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { recordingLock } from '../../machine/recording-lock.ts'
import { purgeBin } from '../teachings/teachings.ts'
import { countAll, forgetMoved, movedBefore, neededRecordings } from './storage-care.sql.ts'

/** SPEC §3 'Audio stats'. */
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
 * Deletes recordings that nothing refers to and that have lain still for a day. What belongs to the bin, to a replaced
 * recording or to work under way is kept, and counted.
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

/** What is on the disk: orphans, and how many others nothing in the library shows but somebody needs. */
async function survey(context: Context) {
  const { storage, sql } = context
  const needed = await neededRecordings(sql, movedSince(context))
  const orphans: Orphan[] = []
  let totalFiles = 0
  let totalSize = 0
  let unneeded = 0
  for await (const { name, bytes, modifiedAt } of storage.list('audio')) {
    totalFiles += 1
    totalSize += bytes
    if (needed.has(hashOf(name))) continue
    unneeded += 1
    if (await isStill(context, name)) orphans.push({ name, bytes, modifiedAt: modifiedAt.toISOString() })
  }
  return { totalFiles, totalSize, orphans, kept: unneeded - orphans.length }
}

/** Asked again while nobody else can put the file into place. */
async function removeOrphan(context: Context, name: string): Promise<boolean> {
  return recordingLock(hashOf(name), async () => {
    const needed = await neededRecordings(context.sql, movedSince(context))
    if (needed.has(hashOf(name)) || !(await isStill(context, name))) return false
    return context.storage.remove('audio', name)
  })
}

/** A file that was put into place, or written, within the day may belong to work that is under way. */
async function isStill({ config, clock }: Context, name: string): Promise<boolean> {
  const found = await stat(path.join(config.dataDir, 'audio', name)).catch((error: NodeJS.ErrnoException) => {
    // Another cleaning was faster.
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!found) return false
  return clock.now().getTime() - Math.max(found.mtimeMs, found.ctimeMs) > orphanHours * 60 * 60_000
}

const movedSince = ({ clock }: Context) => new Date(clock.now().getTime() - movedAudioDays * 24 * 60 * 60_000)

const hashOf = (name: string) => name.split('.', 1)[0]!

/**
 * The recordings of teachings that were deleted, and those that were replaced, more than 30 days ago. The rows go first:
 * a crash in between leaves files that the next cleanup finds.
 */
export async function purgeOldRecordings(context: Context): Promise<void> {
  const before = movedSince(context)
  const replaced = await movedBefore(context.sql, before)
  const names = [...(await purgeBin(context))]
  await forgetMoved(context.sql, before)
  for await (const { name } of context.storage.list('audio')) {
    if (replaced.has(hashOf(name))) names.push(name)
  }
  for (const name of names) {
    await recordingLock(hashOf(name), async () => {
      const needed = await neededRecordings(context.sql, before)
      if (!needed.has(hashOf(name))) await context.storage.remove('audio', name)
    })
  }
}

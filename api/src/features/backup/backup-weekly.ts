import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { failedBackupRetryHours } from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { slotBefore } from '@fellowship/schema/backup/weekly-slot'
import type { Context } from '../../context.ts'
import { writeZip } from '../../machine/zip/zip-write.ts'
import { recordStart } from './backup-history.ts'
import { planBackup, type BackupPlan } from './backup-plan.ts'
import { endBackup, lastWeekly } from './backup.sql.ts'

/**
 * Writes the weekly backup into the configured folder when one is due, then removes the oldest ones. Called often, so
 * that a machine which slept through the hour catches up.
 *
 * @returns whether one was written
 */
export async function weeklyBackup(context: Context): Promise<boolean> {
  const { folder } = context.config.weeklyBackup
  if (!folder) return false
  const done = await context.locks.tryRun('weekly backup', async () => {
    if (!(await isDue(context))) return false
    const plan = await planBackup(context)
    await recordStart(context, plan, 'weekly', null)
    return write(context, plan, folder)
  })
  return done ?? false
}

async function isDue({ sql, clock }: Context): Promise<boolean> {
  const now = clock.now()
  const last = await lastWeekly(sql, now)
  if (!last || last.startedAt < slotBefore(now)) return true
  const retryAt = last.startedAt.getTime() + failedBackupRetryHours * 60 * 60_000
  // This process holds the lock, so a backup that still counts as running lost its process.
  return last.result !== 'complete' && retryAt <= now.getTime()
}

async function write(context: Context, plan: BackupPlan, folder: string): Promise<boolean> {
  const { sql, clock, log, config } = context
  const part = path.join(folder, `.${plan.fileName}.part`)
  try {
    await mkdir(folder, { recursive: true })
    await removeParts(folder)
    await assertRoom(folder, plan.layout.size)
    await writePart(plan, part)
    await rename(part, path.join(folder, plan.fileName))
    await endBackup(sql, plan.id, { result: 'complete', at: clock.now() })
    // The new backup is complete all the same; the next one tries the removal again.
    await removeOldest(folder, config.weeklyBackup.keep, plan.fileName).catch((error: unknown) =>
      log.error({ err: error, folder }, 'an old weekly backup could not be removed'),
    )
    return true
  } catch (error) {
    log.error({ err: error, folder }, 'the weekly backup failed')
    await rm(part, { force: true })
    const sentence = (error as Error).message
    await endBackup(sql, plan.id, { result: 'failed', sentence, at: clock.now() })
    return false
  }
}

async function writePart({ layout }: BackupPlan, part: string): Promise<void> {
  // A backup holds password hashes.
  const target = createWriteStream(part, { mode: 0o600 })
  await writeZip(layout, target)
  target.end()
  await finished(target)
  const handle = await open(part, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes * 1.05) {
    throw new Error(backupTexts.noRoom(inGigabytes(bytes), inGigabytes(bavail * bsize)))
  }
}

/** Removes what a process left that ended during a backup. */
async function removeParts(folder: string): Promise<void> {
  const parts = (await readdir(folder)).filter((name) =>
    /^\.fellowship-backup-\d{4}-\d\d-\d\d\.zip\.part$/.test(name),
  )
  for (const name of parts) await rm(path.join(folder, name), { force: true })
}

/**
 * Removes only files named like a backup, oldest first by the date in the name. A later date than the newest comes from
 * a clock that ran ahead, and must not push the newest out.
 */
async function removeOldest(folder: string, keep: number, newest: string): Promise<void> {
  const ours = (await readdir(folder)).filter((name) => /^fellowship-backup-\d{4}-\d\d-\d\d\.zip$/.test(name))
  const known = ours.filter((name) => name <= newest).toSorted()
  for (const name of known.slice(0, -keep)) await rm(path.join(folder, name), { force: true })
}

const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

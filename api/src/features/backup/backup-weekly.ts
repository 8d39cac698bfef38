import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { failedBackupRetryHours } from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { slotBefore } from '@fellowship/schema/backup/weekly-slot'
import type { Context } from '../../context.ts'
import { writeZip } from '../../machine/zip/zip-write.ts'
import { startLine } from './backup-history.ts'
import { planBackup, type BackupPlan } from './backup-plan.ts'
import { endBackup, lastWeekly, withBackupLock } from './backup.sql.ts'

/**
 * Writes the weekly backup into its folder where one is set up and due, and removes the oldest beyond those kept, once
 * the new one is there. Asked often: a machine that slept through the hour catches up.
 *
 * @returns whether one was written
 */
export async function weeklyBackup(context: Context): Promise<boolean> {
  const { folder } = context.config.weeklyBackup
  if (!folder) return false
  const done = await withBackupLock(context.sql, async () => {
    if (!(await isDue(context))) return false
    const plan = await planBackup(context)
    await startLine(context, plan, 'weekly', null)
    return write(context, plan, folder)
  })
  return done ?? false
}

async function isDue({ sql, clock }: Context): Promise<boolean> {
  const now = clock.now()
  const last = await lastWeekly(sql, now)
  if (!last || last.startedAt < slotBefore(now)) return true
  const retryAt = last.startedAt.getTime() + failedBackupRetryHours * 60 * 60_000
  // Of one that is still said to run, nobody holds the lock any more: its process is gone.
  return last.result !== 'complete' && retryAt <= now.getTime()
}

async function write(context: Context, plan: BackupPlan, folder: string): Promise<boolean> {
  const { sql, clock, log, config } = context
  const aside = path.join(folder, `.${plan.fileName}.part`)
  try {
    await mkdir(folder, { recursive: true })
    await removeHalves(folder)
    await assertRoom(folder, plan.layout.size)
    await writeAside(plan, aside)
    await rename(aside, path.join(folder, plan.fileName))
    await endBackup(sql, plan.id, { result: 'complete', at: clock.now() })
    // One backup too many is no fault of the new one, and goes the next time.
    await removeOldest(folder, config.weeklyBackup.keep, plan.fileName).catch((error: unknown) =>
      log.error({ err: error, folder }, 'an old weekly backup could not be removed'),
    )
    return true
  } catch (error) {
    log.error({ err: error, folder }, 'the weekly backup failed')
    await rm(aside, { force: true })
    const sentence = (error as Error).message
    await endBackup(sql, plan.id, { result: 'failed', sentence, at: clock.now() })
    return false
  }
}

async function writeAside({ layout }: BackupPlan, aside: string): Promise<void> {
  // Whoever reads a backup reads the password hashes in it.
  const target = createWriteStream(aside, { mode: 0o600 })
  await writeZip(layout, target)
  target.end()
  await finished(target)
  const handle = await open(aside, 'r')
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

/** What a process that was ended in the middle of a backup left. */
async function removeHalves(folder: string): Promise<void> {
  const halves = (await readdir(folder)).filter((name) =>
    /^\.fellowship-backup-\d{4}-\d\d-\d\d\.zip\.part$/.test(name),
  )
  for (const name of halves) await rm(path.join(folder, name), { force: true })
}

/**
 * Only files that are named as ours are. The names sort by their date; later ones than the newest come from a clock that
 * ran ahead, and must not push it out.
 */
async function removeOldest(folder: string, keep: number, newest: string): Promise<void> {
  const ours = (await readdir(folder)).filter((name) => /^fellowship-backup-\d{4}-\d\d-\d\d\.zip$/.test(name))
  const known = ours.filter((name) => name <= newest).toSorted()
  for (const name of known.slice(0, -keep)) await rm(path.join(folder, name), { force: true })
}

const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

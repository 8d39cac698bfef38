import { dailyBackupsKept, failedBackupRetryHours } from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { slotBefore } from '@fellowship/schema/backup/weekly-slot'
import { church } from '@fellowship/schema/church'
import { plainDateAt } from '@fellowship/schema/dates'
import type { Context } from '../../context.ts'
import { recordComplete, recordEnd, recordStart } from './backup-history.ts'
import { dailyPlace, weeklyPlace, type BackupPlace } from './backup-places.ts'
import { planBackup, type BackupPlan } from './backup-plan.ts'
import { lastOfKind, newestWhole, activeAdministrators } from './backup.sql.ts'

/**
 * Writes the weekly backup into the configured folder or bucket when one is due, then removes the oldest ones. It runs
 * hourly: if the machine slept through the hour, the next run writes the backup.
 *
 * @returns whether one was written
 */
export async function weeklyBackup(context: Context): Promise<boolean> {
  const place = weeklyPlace(context.config)
  if (!place) return false
  const done = await context.node.runAlone('weekly backup', async () => {
    if (!(await isWeeklyDue(context))) return false
    const plan = await planBackup(context)
    await recordStart(context, plan, 'weekly', null)
    return write(context, plan, { place, keep: context.config.weeklyBackup.keep, kind: 'backup' })
  })
  return done ?? false
}

/**
 * Writes the rows of the database, without recordings and photos, once a day: beside the weekly backups, or else in the
 * data folder. A file there helps after a mistake, but not if the disk is lost. The newest 14 are kept.
 *
 * @returns whether one was written
 */
export async function dailyBackup(context: Context): Promise<boolean> {
  const done = await context.node.runAlone('daily backup', async () => {
    if (!(await isDailyDue(context))) return false
    const plan = await planBackup(context, { scope: 'database' })
    await recordStart(context, plan, 'daily', null)
    const place = dailyPlace(context.config)
    return write(context, plan, { place, keep: dailyBackupsKept, kind: 'database' })
  })
  return done ?? false
}

async function isWeeklyDue({ sql, clock }: Context): Promise<boolean> {
  const now = clock.now()
  const last = await lastOfKind(sql, 'weekly', now)
  if (!last || last.startedAt < slotBefore(now)) return true
  const retryAt = last.startedAt.getTime() + failedBackupRetryHours * 60 * 60_000
  // This process holds the lock: if a backup still counts as running, its process has ended.
  return last.result !== 'complete' && retryAt <= now.getTime()
}

async function isDailyDue({ sql, clock }: Context): Promise<boolean> {
  const last = await lastOfKind(sql, 'daily', clock.now())
  if (!last || last.result === 'interrupted' || last.result === 'running') return true
  return plainDateAt(last.startedAt, church.timeZone) !== plainDateAt(clock.now(), church.timeZone)
}

async function write(
  context: Context,
  plan: BackupPlan,
  { place, keep, kind }: { place: BackupPlace; keep: number; kind: 'backup' | 'database' },
): Promise<boolean> {
  const { log } = context
  try {
    await place.write(plan, kind)
  } catch (error) {
    log.error({ err: error, place: place.name }, `the regular ${kind} file failed`)
    const sentence = (error as Error).message
    await recordEnd(context, plan.id, 'failed', sentence)
    await mailBackupFault(context, backupTexts.mailFailed(sentence))
    return false
  }
  const faults = await recordComplete(context, plan)
  if (faults !== null) await mailBackupFault(context, faults)
  // The new backup is complete. If the removal fails, the next backup repeats it.
  await newestWhole(context.sql, plan.at)
    .then((whole) => place.removeOldest({ kind, keep, newest: plan.fileName, whole }))
    .catch((error: unknown) =>
      log.error({ err: error, place: place.name }, 'an old backup could not be removed'),
    )
  return true
}

type Mailing = Pick<Context, 'sql' | 'mail' | 'log'>

/** Mails every active administrator that a backup failed, or that files are missing in it. A failure is only logged. */
async function mailBackupFault(context: Mailing, sentence: string): Promise<void> {
  const subject = backupTexts.mailSubject(church.name)
  await mailAdministrators(context, { subject, paragraphs: [sentence, backupTexts.mailAdvice] })
}

/**
 * Mails every active administrator. A failure is only logged.
 *
 * @returns how many mails were sent
 */
export async function mailAdministrators(
  { sql, mail, log }: Mailing,
  { subject, paragraphs }: { subject: string; paragraphs: readonly string[] },
): Promise<number> {
  let sent = 0
  for (const { name, email } of await activeAdministrators(sql)) {
    const text = [`Dear ${name},`, ...paragraphs, `${church.name}\n`].join('\n\n')
    await mail.send({ to: email, subject, text }).then(
      () => (sent += 1),
      (error: unknown) => log.error({ err: error, subject }, 'a mail to an administrator could not be sent'),
    )
  }
  return sent
}

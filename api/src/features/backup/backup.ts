import type { BackupLine, backup } from '@fellowship/schema/backup/backup.contract'
import {
  backupHistoryLines,
  backupWarningDays,
  dailyBackupsKept,
  slotAfter,
  failedBackupRetryHours,
  slotBefore,
} from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { church } from '@fellowship/schema/church'
import { daysSince, plainDateAt } from '@fellowship/schema/dates'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import type { Actor } from '../../db/audit-log.ts'
import { inSnapshot } from '../../db/connection.ts'
import { dailyPlace, weeklyPlace, type BackupPlace } from './backup-places.ts'
import { planBackup, type BackupPlan } from './backup-plan.ts'
import { recordComplete, recordEnd, recordFailedPlan, recordStart } from './backup-history.ts'
import {
  backupLines,
  backupProcesses,
  interruptBackup,
  interruptRunning,
  lastComplete,
  lastFailure,
  lastOfKind,
  newestWhole,
  recordedNames,
  activeAdministrators,
} from './backup.sql.ts'

export { writeBackup, type BackupPlan } from './backup-plan.ts'

/** The newest few plans by id, so that a resumed download continues with the bytes of its plan. */
export interface Backups {
  /** Plans a backup of the present state and records its start. */
  begin(actor: Actor | null): Promise<BackupPlan>
  /** @throws Problem `not_found` if the plan was forgotten */
  find(id: string): BackupPlan
  /** Notes a sent range. When every byte was sent, records the backup as complete. */
  sent(plan: BackupPlan, range: SentRange): Promise<void>
  /** Notes the sent part of a range that broke off, and records that. */
  brokeOff(
    plan: BackupPlan,
    range: SentRange,
    result: Exclude<BackupLine['result'], 'complete' | 'running'>,
    sentence?: string,
  ): Promise<void>
}

const mostPlans = 4

interface Known {
  plan: BackupPlan
  sent: SentRange[]
}

export function backups(context: Context): Backups {
  const plans = new Map<string, Known>()
  const note = ({ id }: BackupPlan, range: SentRange): readonly SentRange[] => {
    const known = plans.get(id)
    return known ? (known.sent = withRange(known.sent, range)) : [range]
  }
  return {
    async begin(actor) {
      const plan = await planOrRecord(context, 'manual', actor)
      await recordStart(context, plan, 'manual', actor).catch(async (error: unknown) => {
        await plan.release()
        // The start may be recorded all the same: without this it would be listed as running until the next start of the server.
        void recordEnd(context, plan.id, 'interrupted')
        throw error
      })
      plans.set(plan.id, { plan, sent: [] })
      if (plans.size > mostPlans) await forgetOldest()
      return plan
    },
    find(id) {
      const known = plans.get(id)
      if (!known) throw new Problem('not_found', backupTexts.gone)
      return known.plan
    },
    async sent(plan, range) {
      if (!isWhole(note(plan, range), plan.bytes)) return
      await recordComplete(context, plan)
    },
    async brokeOff(plan, range, result, sentence) {
      note(plan, range)
      await recordEnd(context, plan.id, result, sentence ?? null)
    },
  }

  /** The rest of a forgotten plan cannot be fetched, so that it must not count as running. */
  async function forgetOldest(): Promise<void> {
    const [oldest] = plans.values()
    const { id, release } = oldest!.plan
    plans.delete(id)
    await release()
    await interruptBackup(context.sql, id, context.clock.now())
  }
}

/** The history, age and schedule of backups. */
export async function backupHistory(context: Context): Promise<AnswerOf<typeof backup.history>> {
  const { sql, clock, config } = context
  const now = clock.now()
  const { lines, last, daily } = await inSnapshot(sql, async (tx) => ({
    lines: await backupLines(tx, backupHistoryLines),
    last: await lastComplete(tx, now),
    daily: await lastComplete(tx, now, 'daily'),
  }))
  const age = last && daysSince(last, now, church().timeZone)
  const { keep } = config.weeklyBackup
  const weekly = weeklyPlace(config)
  return {
    backups: lines,
    lastCompleteAt: last?.toISOString() ?? null,
    ageDays: age ?? null,
    secretsSealed: config.backupPassphrase !== undefined,
    overdue: age === undefined || age > backupWarningDays,
    daily: {
      folder: dailyPlace(config).name,
      keep: dailyBackupsKept,
      lastAt: daily?.toISOString() ?? null,
    },
    weekly: {
      folder: weekly?.name ?? null,
      keep,
      nextAt: weekly ? slotAfter(now).toISOString() : null,
    },
  }
}

/**
 * At start: marks the unfinished backups of ended processes as interrupted. Other processes may still be writing theirs.
 */
export async function interruptUnfinishedBackups({ sql, clock, node }: Context): Promise<void> {
  for (const process of await backupProcesses(sql)) {
    const isRunning = process !== null && process !== node.process && (await node.isRunning(process))
    if (!isRunning) await interruptRunning(sql, process, clock.now())
  }
}

/** Bytes of a file by offset, `end` included. */
export interface SentRange {
  readonly start: number
  readonly end: number
}

/** The ranges with another one, in order. If ranges touch or overlap, they are joined. */
export function withRange(ranges: readonly SentRange[], added: SentRange): SentRange[] {
  if (added.end < added.start) return [...ranges]
  const touches = ({ start, end }: SentRange) => start <= added.end + 1 && end >= added.start - 1
  const joined = [added, ...ranges.filter(touches)]
  const start = Math.min(...joined.map((range) => range.start))
  const end = Math.max(...joined.map((range) => range.end))
  return [...ranges.filter((range) => !touches(range)), { start, end }].sort((a, b) => a.start - b.start)
}

/** Whether they cover every byte of a file of this size. */
export const isWhole = (ranges: readonly SentRange[], bytes: number): boolean =>
  ranges.length === 1 && ranges[0]!.start === 0 && ranges[0]!.end >= bytes - 1

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
    return write(context, 'weekly', { place, keep: context.config.weeklyBackup.keep })
  })
  return done ?? false
}

/**
 * Writes the rows of the database, without recordings, photos and handouts, once a day: beside the weekly backups, or else in the
 * data folder. A file there helps after a mistake, but not if the disk is lost. The newest 14 are kept.
 *
 * @returns whether one was written
 */
export async function dailyBackup(context: Context): Promise<boolean> {
  const done = await context.node.runAlone('daily backup', async () => {
    if (!(await isDailyDue(context))) return false
    return write(context, 'daily', { place: dailyPlace(context.config), keep: dailyBackupsKept })
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
  // The next run tries again: what failed it, such as a bucket that was away, may be over.
  if (last?.result !== 'complete') return true
  return plainDateAt(last.startedAt, church().timeZone) !== plainDateAt(clock.now(), church().timeZone)
}

/**
 * Plans a backup. A failure is in the history like that of a backup under way, and administrators get a mail about the first
 * one of the day.
 */
async function planOrRecord(
  context: Context,
  kind: BackupLine['kind'],
  actor: Actor | null,
): Promise<BackupPlan> {
  const scope = kind === 'daily' ? 'database' : 'everything'
  try {
    return await planBackup(context, { scope })
  } catch (error) {
    context.log.error({ err: error, kind }, 'a backup could not be planned')
    const isFirst = await isFirstFailure(context, kind)
    const sentence = (error as Error).message
    await recordFailedPlan(context, { kind, scope, actor, sentence })
    if (isFirst) await mailBackupFault(context, backupTexts.mailFailed(sentence))
    throw error
  }
}

/** Whether no backup of this kind has failed today. */
async function isFirstFailure({ sql, clock }: Context, kind: BackupLine['kind']): Promise<boolean> {
  const before = await lastFailure(sql, kind)
  return !before || plainDateAt(before, church().timeZone) !== plainDateAt(clock.now(), church().timeZone)
}

/** Returns false if the backup failed, which is recorded, and mailed unless one has failed today. */
async function write(
  context: Context,
  of: 'weekly' | 'daily',
  { place, keep }: { place: BackupPlace; keep: number },
): Promise<boolean> {
  const { log } = context
  const kind = of === 'daily' ? 'database' : 'backup'
  const plan = await planOrRecord(context, of, null).catch(() => undefined)
  if (!plan) return false
  const isFirst = await isFirstFailure(context, of)
  try {
    await recordStart(context, plan, of, null)
    await place.write(plan, { kind, recorded: await recordedNames(context.sql) })
  } catch (error) {
    log.error({ err: error, place: place.name }, `the regular ${kind} file failed`)
    const sentence = (error as Error).message
    await recordEnd(context, plan.id, 'failed', sentence)
    if (isFirst) await mailBackupFault(context, backupTexts.mailFailed(sentence))
    return false
  } finally {
    await plan.release()
  }
  const faults = await recordComplete(context, plan)
  if (faults !== null && isFirst) await mailBackupFault(context, faults)
  // The new backup is complete. If the removal fails, the next backup repeats it.
  await Promise.all([newestWhole(context.sql, plan.at), recordedNames(context.sql)])
    .then(([whole, recorded]) => place.removeOldest({ kind, keep, newest: plan.fileName, whole, recorded }))
    .catch((error: unknown) =>
      log.error({ err: error, place: place.name }, 'an old backup could not be removed'),
    )
  return true
}

type Mailing = Pick<Context, 'sql' | 'mail' | 'log'>

/** Mails every active administrator that a backup failed, or that files are missing in it. A failure is only logged. */
async function mailBackupFault(context: Mailing, sentence: string): Promise<void> {
  const subject = backupTexts.mailSubject(church().name)
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
    const text = [`Dear ${name},`, ...paragraphs, `${church().name}\n`].join('\n\n')
    await mail.send({ to: email, subject, text }).then(
      () => (sent += 1),
      (error: unknown) => log.error({ err: error, subject }, 'a mail to an administrator could not be sent'),
    )
  }
  return sent
}

import type { BackupLine, backup } from '@fellowship/schema/backup/backup.contract'
import {
  backupHistoryLines,
  backupWarningDays,
  dailyBackupsKept,
} from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { slotAfter } from '@fellowship/schema/backup/weekly-slot'
import { church } from '@fellowship/schema/church'
import { daysSince } from '@fellowship/schema/dates'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import type { Actor } from '../../db/audit-log.ts'
import { dailyPlace, weeklyPlace } from './backup-places.ts'
import { planBackup, type BackupPlan } from './backup-plan.ts'
import { recordEnd, recordStart } from './backup-history.ts'
import { backupLines, backupProcesses, interruptRunning, lastComplete } from './backup.sql.ts'

export { writeBackup, type BackupPlan } from './backup-plan.ts'
export { mailAdministrators } from './backup-mails.ts'
export { dailyBackup, weeklyBackup } from './backup-weekly.ts'

/** The newest few plans by id, so that a resumed download gets the bytes it began with. */
export interface Backups {
  /** Plans a backup of the present state and records its start. */
  begin(actor: Actor | null): Promise<BackupPlan>
  /** @throws Problem `not_found` for a plan that was forgotten */
  find(id: string): BackupPlan
  /** Records the result of a download, as soon as the database is there. */
  ended(plan: BackupPlan, result: BackupLine['result'], sentence?: string): Promise<void>
}

const mostPlans = 4

export function backups(context: Context): Backups {
  const plans = new Map<string, BackupPlan>()
  return {
    async begin(actor) {
      const plan = await planBackup(context)
      await recordStart(context, plan, 'manual', actor)
      plans.set(plan.id, plan)
      if (plans.size > mostPlans) plans.delete(plans.keys().next().value!)
      return plan
    },
    find(id) {
      const plan = plans.get(id)
      if (!plan) throw new Problem('not_found', backupTexts.gone)
      return plan
    },
    async ended({ id, missing }, result, sentence) {
      const gaps = result === 'complete' && missing.length > 0 ? backupTexts.gaps(missing) : null
      await recordEnd(context, id, result, sentence ?? gaps)
    },
  }
}

/** The history, age and schedule of backups. */
export async function backupHistory(context: Context): Promise<AnswerOf<typeof backup.history>> {
  const { sql, clock, config } = context
  const last = await lastComplete(sql, clock.now())
  const age = last && daysSince(last, clock.now(), church.timeZone)
  const { keep } = config.weeklyBackup
  const weekly = weeklyPlace(config)
  return {
    backups: await backupLines(sql, backupHistoryLines),
    lastCompleteAt: last?.toISOString() ?? null,
    ageDays: age ?? null,
    secretsSealed: config.backupPassphrase !== undefined,
    overdue: age === undefined || age > backupWarningDays,
    daily: {
      folder: dailyPlace(config).name,
      keep: dailyBackupsKept,
      lastAt: (await lastComplete(sql, clock.now(), 'daily'))?.toISOString() ?? null,
    },
    weekly: {
      folder: weekly?.name ?? null,
      keep,
      nextAt: weekly ? slotAfter(clock.now()).toISOString() : null,
    },
  }
}

/** At start: marks backups as interrupted that a process which ended did not finish. Another one may still write its own. */
export async function interruptUnfinishedBackups({ sql, clock, locks }: Context): Promise<void> {
  for (const process of await backupProcesses(sql)) {
    const isRunning = process !== null && process !== locks.owner && (await locks.isAlive(process))
    if (!isRunning) await interruptRunning(sql, process, clock.now())
  }
}

import type { BackupLine } from '@fellowship/schema/backup/backup.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { BackupPlan } from './backup-plan.ts'
import { insertBackup } from './backup.sql.ts'

/** Records the start of a backup in the history and in the audit log. */
export async function recordStart(
  { sql, clock, locks }: Context,
  plan: BackupPlan,
  kind: BackupLine['kind'],
  /** Null for the weekly backup. */
  actor: Actor | null,
): Promise<void> {
  const { id, fileName, files, bytes, at } = plan
  await insertBackup(sql, {
    id,
    kind,
    startedAt: at,
    userId: actor?.id ?? null,
    actor: actor?.name ?? 'the product',
    fileName,
    bytes,
    files,
    process: locks.owner,
  })
  // What the product does every day would bury what people did.
  if (kind === 'daily') return
  await writeAudit(
    sql,
    {
      actor,
      action: 'backup.started',
      subject: fileName,
      details: { kind, files, bytes, missing: [...plan.missing].slice(0, 100) },
    },
    clock.now(),
  )
}

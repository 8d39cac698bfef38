import type { BackupLine } from '@fellowship/schema/backup/backup.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { BackupPlan } from './backup-plan.ts'
import { insertBackup } from './backup.sql.ts'

/** Writes the first line of a backup: into the history, and into the log. */
export async function startLine(
  { sql, clock }: Context,
  plan: BackupPlan,
  kind: BackupLine['kind'],
  /** Null for the weekly backup. */
  actor: Actor | null,
): Promise<void> {
  const { id, fileName, files, layout, at } = plan
  await insertBackup(sql, {
    id,
    kind,
    startedAt: at,
    userId: actor?.id ?? null,
    actor: actor?.name ?? 'the product',
    fileName,
    bytes: layout.size,
    files,
  })
  await writeAudit(
    sql,
    { actor, action: 'backup.started', subject: fileName, details: { kind, files, bytes: layout.size } },
    clock.now(),
  )
}

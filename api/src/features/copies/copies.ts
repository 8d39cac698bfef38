import type { CopyStatus } from '@fellowship/schema/copies/copies.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import {
  changeSettings,
  copyCounts,
  copySettings,
  failedCopies,
  faultySounds,
  retryFailed,
  type CopySettings,
} from './copies.sql.ts'

export { startCopies } from './copy-worker.ts'
export { checkCopies, forgetDamagedCopies, removeUnusedCopies, walkCopies } from './copy-files.ts'
export { removeUnusedUntouched } from './trimming.ts'

/** Progress of the small copies, and faults of recordings. */
export async function copyStatus({ sql }: Pick<Context, 'sql'>): Promise<CopyStatus> {
  return {
    ...(await copySettings(sql)),
    ...(await copyCounts(sql)),
    failed: await failedCopies(sql),
    faulty: await faultySounds(sql),
  }
}

/** Pauses or resumes the worker, which breaks off a copy in progress, and includes copies in backups or excludes them. */
export async function changeCopies(
  context: Context,
  wanted: Partial<CopySettings>,
  actor: Actor,
): Promise<CopyStatus> {
  const { sql, clock, changes } = context
  await sql.begin(async (tx) => {
    const before = await changeSettings(tx, wanted)
    const after = { ...before, ...wanted }
    const actions = [
      after.paused !== before.paused && (after.paused ? 'copies.paused' : 'copies.continued'),
      after.inBackups !== before.inBackups &&
        (after.inBackups ? 'copies.put_into_backups' : 'copies.left_out_of_backups'),
    ]
    for (const action of actions)
      if (action) await writeAudit(tx, { actor, action, subject: 'small copies' }, clock.now())
  })
  // Wakes the worker.
  changes.announce()
  return copyStatus(context)
}

/** Forgets failures, so that the worker retries these recordings. */
export async function retryCopies(context: Context, actor: Actor): Promise<CopyStatus> {
  const { sql, clock } = context
  await sql.begin(async (tx) => {
    await retryFailed(tx)
    await writeAudit(tx, { actor, action: 'copies.retried', subject: 'small copies' }, clock.now())
  })
  context.changes.announce()
  return copyStatus(context)
}

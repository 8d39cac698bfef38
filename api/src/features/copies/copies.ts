import type { CopyStatus } from '@fellowship/schema/copies/copies.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { copyCounts, failedCopies, faultySounds, isPaused, retryFailed, setPaused } from './copies.sql.ts'

export { startCopies } from './copy-worker.ts'
export { checkCopies, removeUnusedCopies } from './copy-files.ts'

/** How far the small copies are, and what is wrong with recordings. */
export async function copyStatus({ sql }: Pick<Context, 'sql'>): Promise<CopyStatus> {
  return {
    paused: await isPaused(sql),
    ...(await copyCounts(sql)),
    failed: await failedCopies(sql),
    faulty: await faultySounds(sql),
  }
}

/** Pauses or resumes the worker; a copy in progress is finished. */
export async function pauseCopies(
  context: Context,
  { paused, actor }: { paused: boolean; actor: Actor },
): Promise<CopyStatus> {
  const { sql, clock, changes } = context
  await sql.begin(async (tx) => {
    if (!(await setPaused(tx, paused))) return
    const action = paused ? 'copies.paused' : 'copies.continued'
    await writeAudit(tx, { actor, action, subject: 'small copies' }, clock.now())
  })
  // Wakes the worker.
  changes.announce()
  return copyStatus(context)
}

/** Forgets failures, so that these recordings are tried again. */
export async function retryCopies(context: Context): Promise<CopyStatus> {
  await retryFailed(context.sql)
  context.changes.announce()
  return copyStatus(context)
}

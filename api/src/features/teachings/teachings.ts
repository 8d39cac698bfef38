import type { Target } from '@fellowship/sync/server/mutation'
import type { Context } from '../../context.ts'
import { writeAudit, type AuditActor } from '../../db/audit-log.ts'
import { targetOf } from './edit-teaching.ts'
import { once, type MutationKey } from './mutations.ts'
import { binTeaching, lockForWriting } from './teachings.sql.ts'

export { changeTeaching, duplicateOf, editTeaching, type DuplicateOf, type Once } from './edit-teaching.ts'
export { mutationKey, once, type MutationKey } from './mutations.ts'
export { columnsOf, findDuplicate } from './teaching-columns.ts'
export { purgeBin } from './bin-purge.ts'
export { assertOwnDeletion } from './undo-deletion.ts'
export { purgeMutations } from './mutations.sql.ts'
export {
  findTeaching,
  findTeachingByUid,
  insertTeaching,
  liveTeachings,
  lockForWriting,
  newestTeachings,
  teachingYears,
  noteMovedAudio,
  type TeachingAudio,
} from './teachings.sql.ts'

/**
 * Moves a teaching to the bin together with its recording.
 *
 * @param id its number, which counts where `target` has no uid
 * @param target the teaching and the revision that the user saw
 * @returns the revision of the deletion
 * @throws Problem `not_found`, `revision_conflict` (with `current`) or `idempotency_mismatch`
 */
export async function removeTeaching(
  { sql, clock, changes }: Context,
  id: number,
  actor: AuditActor,
  { key, ...target }: Target & { key?: MutationKey | undefined } = {},
): Promise<{ rev: number }> {
  const removed = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
    return once(tx, key, async () => {
      const current = await targetOf(tx, id, target, 'This teaching was already deleted.')
      const rev = await binTeaching(tx, current.id)
      const { title, speaker, date } = current
      const details = { id: current.id, speaker, date }
      const entry = { actor, action: 'teaching.deleted', subject: title, details }
      await writeAudit(tx, entry, clock.now())
      return { rev }
    })
  })) as { rev: number }
  changes.announce()
  return removed
}

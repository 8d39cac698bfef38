import { createHash } from 'node:crypto'
import { Problem } from '@fellowship/schema/problem'
import { isRepeated, type Target } from '@fellowship/sync/server/mutation'
import type { Context } from '../../context.ts'
import { type AuditActor, writeAudit } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { changeRows } from '../../db/synced-rows.ts'
import { targetOf } from './edit-teaching.ts'
import { binTeaching, findMutation, storeMutation } from './teachings.sql.ts'

export { assertOwnDeletion, purgeBin } from './bin.ts'
export {
  assertWordRoom,
  changeTeaching,
  columnsOf,
  duplicateOf,
  editTeaching,
  findDuplicate,
  targetOf,
  type Existing,
  type DuplicateOf,
  type Once,
} from './edit-teaching.ts'
export { lockForWriting } from '../../db/synced-rows.ts'
export { purgeMutations } from './teachings.sql.ts'
export {
  findTeaching,
  findTeachingByUid,
  insertTeaching,
  liveTeachings,
  newestTeachings,
  teachingWithAudio,
  teachingYears,
  noteMovedAudio,
  type TeachingAudio,
} from './teachings.sql.ts'

/**
 * Moves a teaching to the bin together with its recording.
 *
 * @param id its number, used if `target` has no uid
 * @param target the teaching and the revision that the user saw
 * @returns the revision of the deletion
 * @throws Problem `not_found`, `revision_conflict` (with `current`) or `idempotency_mismatch`
 */
export function removeTeaching(
  context: Context,
  id: number,
  actor: AuditActor,
  { key, ...target }: Target & { key?: MutationKey | undefined } = {},
): Promise<{ rev: number }> {
  return changeRows(context, (tx) =>
    once(tx, key, async () => {
      const current = await targetOf(tx, id, target, 'This teaching was already deleted.')
      const rev = await binTeaching(tx, current.id)
      const { title, speaker, date } = current
      const details = { id: current.id, speaker, date }
      const entry = { actor, action: 'teaching.deleted', subject: title, details }
      await writeAudit(tx, entry, context.clock.now())
      return { rev }
    }),
  )
}

/** An `Idempotency-Key` with the hash of its request: a repeated request gets the first answer and changes nothing. */
export interface MutationKey {
  id: string
  userId: number
  requestHash: string
}

/**
 * The key of a request; undefined if the client sent none.
 *
 * @param content everything that the request would change, in a fixed order
 * @throws Problem `invalid_input` for a key that is not a UUID
 */
export function mutationKey(
  header: string | undefined,
  userId: number,
  content: unknown,
): MutationKey | undefined {
  if (header === undefined) return undefined
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(header)) {
    throw new Problem('invalid_input', 'Idempotency-Key must be a UUID, made anew for every change.')
  }
  const requestHash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return { id: header.toLowerCase(), userId, requestHash }
}

/**
 * Does the work unless this mutation was done before, and stores its answer in the same transaction. Call it after
 * `lockForWriting`. Refusals are not stored: a retry may succeed.
 *
 * @throws Problem `idempotency_mismatch`, and the errors of the work
 */
export async function once<Answer extends object>(
  tx: Transaction,
  key: MutationKey | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!key) return work()
  const done = await findMutation<Answer>(tx, key.id)
  if (done && !isRepeated(done, key)) throw new Problem('idempotency_mismatch')
  if (done) return done.answer
  const answer = await work()
  await storeMutation(tx, key, answer)
  return answer
}

import { createHash } from 'node:crypto'
import { Problem } from '@fellowship/schema/problem'
import { judgeMutation, type DoneMutation } from '@fellowship/sync/server/mutation'
import type { Transaction } from '../../db/connection.ts'
import { findMutation, noteMutation } from './mutations.sql.ts'

/** An `Idempotency-Key` with what it stands for: a repeated request is answered as the first time, and does nothing. */
export interface MutationKey {
  id: string
  userId: number
  requestHash: string
}

/**
 * The key of a request, if its sender gave one.
 *
 * @param means everything the request asks for, in a fixed order
 * @throws Problem `invalid_input` for a key that is not a UUID
 */
export function mutationKey(
  header: string | undefined,
  userId: number,
  means: unknown,
): MutationKey | undefined {
  if (header === undefined) return undefined
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(header)) {
    throw new Problem('invalid_input', 'Idempotency-Key must be a UUID, made anew for every change.')
  }
  const requestHash = createHash('sha256').update(JSON.stringify(means)).digest('hex')
  return { id: header.toLowerCase(), userId, requestHash }
}

/**
 * Does the work unless this very mutation was done before; its answer is stored in the same transaction, so that
 * both stand or neither. To be called after `lockForWriting`. Refusals are not stored: they may turn out otherwise.
 *
 * @throws Problem `idempotency_mismatch`, and whatever the work throws
 */
export async function once<Answer extends object>(
  tx: Transaction,
  key: MutationKey | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!key) return work()
  const done = await findMutation<Answer>(tx, key.id)
  if (done && verdict(done, key) !== 'replay') throw new Problem('idempotency_mismatch')
  if (done) return done.answer
  const answer = await work()
  await noteMutation(tx, key, answer)
  return answer
}

const verdict = (done: DoneMutation, { requestHash, userId }: MutationKey) =>
  judgeMutation(done, { requestHash, userId, baseRev: undefined }, undefined)

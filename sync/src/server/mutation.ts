/** The record of an applied mutation, stored under its idempotency key. */
export interface DoneMutation {
  requestHash: string
  userId: number
}

/** A mutation as requested by a client. */
export interface RequestedMutation {
  requestHash: string
  userId: number
  /** The revision its author saw; undefined to apply it to any revision. */
  baseRev: number | undefined
}

export type Verdict = 'replay' | 'idempotency_mismatch' | 'not_found' | 'revision_conflict' | 'apply'

/**
 * Decides what to do with a mutation; call it inside the transaction that would apply it. An applied one is replayed;
 * a key reused for another request or by another user is a mismatch; an outdated base revision is a conflict.
 */
export function judgeMutation(
  done: DoneMutation | undefined,
  { requestHash, userId, baseRev }: RequestedMutation,
  currentRev: number | undefined,
): Verdict {
  if (done) return isSameRequest(done, { requestHash, userId }) ? 'replay' : 'idempotency_mismatch'
  if (currentRev === undefined) return 'not_found'
  if (baseRev !== undefined && baseRev !== currentRev) return 'revision_conflict'
  return 'apply'
}

const isSameRequest = (done: DoneMutation, requested: DoneMutation) =>
  done.requestHash === requested.requestHash && done.userId === requested.userId

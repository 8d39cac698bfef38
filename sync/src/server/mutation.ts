/** What is remembered of a mutation that was done. */
export interface DoneMutation {
  requestHash: string
  userId: number
}

export interface AskedMutation {
  requestHash: string
  userId: number
  /** The revision its author saw; undefined for callers that mean it whatever stands there. */
  baseRev: number | undefined
}

export type Verdict = 'replay' | 'idempotency_mismatch' | 'not_found' | 'revision_conflict' | 'apply'

/**
 * What to do with a mutation, inside the transaction that would do it. One that was done is answered as then; a key
 * that was used for something else, or by someone else, is refused; an author who saw another revision hears of it.
 */
export function judgeMutation(
  done: DoneMutation | undefined,
  { requestHash, userId, baseRev }: AskedMutation,
  currentRev: number | undefined,
): Verdict {
  if (done) return isSameRequest(done, { requestHash, userId }) ? 'replay' : 'idempotency_mismatch'
  if (currentRev === undefined) return 'not_found'
  if (baseRev !== undefined && baseRev !== currentRev) return 'revision_conflict'
  return 'apply'
}

const isSameRequest = (done: DoneMutation, asked: DoneMutation) =>
  done.requestHash === asked.requestHash && done.userId === asked.userId

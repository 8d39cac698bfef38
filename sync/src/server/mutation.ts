/** The record of an applied mutation, stored under its idempotency key. */
export interface DoneMutation {
  requestHash: string
  userId: number
}

/** The target of a change. */
export interface Target {
  /** The teaching that its author saw; undefined if only its number is known. */
  uid?: string | undefined
  /** The revision that its author saw; undefined to apply it to any. */
  baseRev?: number | undefined
}

/** Whether a request under a known idempotency key is the same again, and gets the stored answer. */
export const isRepeated = (done: DoneMutation, requested: DoneMutation): boolean =>
  done.requestHash === requested.requestHash && done.userId === requested.userId

/** The present state of the target of a change. */
export interface Present {
  uid: string
  rev: number
  /**
   * The first revision of these words and this recording, if the server itself has added a field since. If the author saw
   * this revision or a later one, they have seen the words that they change.
   */
  sameSince?: number
}

/**
 * Whether a change meets its target; call it inside the transaction that would apply it.
 *
 * @returns the code of the refusal; undefined if it may be applied
 */
export function refusalFor(
  current: Present | undefined,
  { uid, baseRev }: Target,
): 'not_found' | 'revision_conflict' | undefined {
  // After a restore another teaching may have the number.
  if (!current || (uid !== undefined && uid !== current.uid)) return 'not_found'
  return baseRev === undefined || hasSeen(baseRev, current) ? undefined : 'revision_conflict'
}

const hasSeen = (baseRev: number, { rev, sameSince = rev }: Present) =>
  baseRev === rev || (baseRev >= sameSince && baseRev < rev)

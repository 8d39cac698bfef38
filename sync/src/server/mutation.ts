/** The record of an applied mutation, stored under its idempotency key. */
export interface DoneMutation {
  requestHash: string
  userId: number
}

/** What a change was made for. */
export interface Target {
  /** The teaching that its author saw; undefined where only its number is known. */
  uid?: string | undefined
  /** The revision that its author saw; undefined to apply it to any. */
  baseRev?: number | undefined
}

/** Whether a request under a known idempotency key is the same again, and gets the stored answer. */
export const isRepeated = (done: DoneMutation, requested: DoneMutation): boolean =>
  done.requestHash === requested.requestHash && done.userId === requested.userId

/** The present state of what a change was made for. */
export interface Present {
  uid: string
  rev: number
  /**
   * The first revision of these words and this recording, where the server has added something by itself since: who saw that
   * one, or one after it, has seen what they change.
   */
  sameSince?: number
}

/**
 * Whether a change meets what it was made for; call it inside the transaction that would apply it.
 *
 * @returns the code of the refusal; undefined where it may be applied
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

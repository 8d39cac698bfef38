/** Teachings that reached a device after it had the library, and those that left it. */
export interface Arrivals {
  /** How many came so far: the number of the newest. */
  readonly newest: number
  /** The last of them, in the order in which they came. */
  readonly came: readonly { readonly uid: string; readonly number: number }[]
  /** Left the library lately: one that comes back, such as out of the bin, is not new. */
  readonly left: readonly string[]
}

/** When a device was last looked at, in numbers of arrivals: its clock decides only how long a pause was. */
export interface Visits {
  /** What came after this one is new; absent on a first visit, to which everything is new. */
  readonly from?: number
  /** The newest that had come when the site was last looked at. */
  readonly upTo: number
  /** When that was, epoch milliseconds. */
  readonly at: number
}

/** A device that was away for years still lists this many as new. */
export const mostArrivals = 1000

/** A visit goes on after a pause shorter than this: a glance at another app does not end it. */
export const visitGapMs = 30 * 60_000

const noArrivals: Arrivals = { newest: 0, came: [], left: [] }

/** The arrivals after teachings came that the device did not have, and others left it. */
export function arrive(
  before: Arrivals | undefined,
  { came, left }: { came: readonly string[]; left: readonly string[] },
): Arrivals {
  const { newest, came: earlier, left: gone } = before ?? noArrivals
  const known = new Set([...gone, ...earlier.map(({ uid }) => uid)])
  const fresh = came.filter((uid) => !known.has(uid))
  const numbered = fresh.map((uid, at) => ({ uid, number: newest + at + 1 }))
  return {
    newest: newest + fresh.length,
    came: [...earlier, ...numbered].slice(-mostArrivals),
    left: [...new Set([...gone, ...left])].slice(-mostArrivals),
  }
}

/**
 * The visits after a look at the site.
 *
 * @param newest the number of the newest arrival
 * @param now epoch milliseconds
 */
export function look(before: Visits | undefined, newest: number, now: number): Visits {
  if (!before) return { upTo: newest, at: now }
  const isAnother = now - before.at >= visitGapMs
  return { ...before, ...(isAnother && { from: before.upTo }), upTo: newest, at: now }
}

/** The uids that came since the visit before this one. */
export const newUids = (arrivals: Arrivals | undefined, visits: Visits | undefined): string[] =>
  visits?.from === undefined ? [] : uidsAfter(arrivals, visits.from)

/** The uids that came since the site was last looked at. */
export const unseenUids = (arrivals: Arrivals | undefined, visits: Visits | undefined): string[] =>
  visits ? uidsAfter(arrivals, visits.upTo) : []

/** As many as the icon shows: unseen ones, and those that messages told of before they came to this device. */
export function unseenCount(
  arrivals: Arrivals | undefined,
  visits: Visits | undefined,
  told: readonly string[],
): number {
  const here = new Set((arrivals?.came ?? []).map(({ uid }) => uid))
  return new Set([...unseenUids(arrivals, visits), ...told.filter((uid) => !here.has(uid))]).size
}

const uidsAfter = (arrivals: Arrivals | undefined, after: number): string[] =>
  (arrivals?.came ?? []).flatMap(({ uid, number }) => (number > after ? [uid] : []))

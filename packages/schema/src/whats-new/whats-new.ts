/** Teachings that were added to a device after its first library, and those that left it. */
export interface WhatsNew {
  /** Their count so far: the number of the newest. */
  readonly newest: number
  /** The latest of them, oldest first. */
  readonly came: readonly { readonly uid: string; readonly number: number }[]
  /** Left the library lately: a teaching that comes back, for example out of the bin, is not new. */
  readonly left: readonly string[]
}

/** When the site was last viewed, in numbers of added teachings: the device's clock measures only how long a pause was. */
export interface Sessions {
  /** Teachings added after this number are new; absent in the first session, which marks none. */
  readonly from?: number
  /** The newest number when the site was last viewed. */
  readonly upTo: number
  /** Time of that view, epoch milliseconds. */
  readonly at: number
}

/** A device that was away for years still lists this many as new. */
export const maxNewTeachings = 1000

/** A session continues if the pause was shorter: a glance at another app does not end it. */
export const sessionGapMs = 30 * 60_000

const nothingYet: WhatsNew = { newest: 0, came: [], left: [] }

/** Adds teachings that the device did not have, and records those that left it. */
export function addNewTeachings(
  before: WhatsNew | undefined,
  { came, left }: { came: readonly string[]; left: readonly string[] },
): WhatsNew {
  const { newest, came: earlier, left: gone } = before ?? nothingYet
  const known = new Set([...gone, ...earlier.map(({ uid }) => uid)])
  const fresh = came.filter((uid) => !known.has(uid))
  const numbered = fresh.map((uid, at) => ({ uid, number: newest + at + 1 }))
  return {
    newest: newest + fresh.length,
    came: [...earlier, ...numbered].slice(-maxNewTeachings),
    left: [...new Set([...gone, ...left])].slice(-maxNewTeachings),
  }
}

/**
 * The sessions after a page view.
 *
 * @param newest the number of the newest teaching
 * @param now epoch milliseconds
 */
export function afterPageView(before: Sessions | undefined, newest: number, now: number): Sessions {
  if (!before) return { upTo: newest, at: now }
  const isAnother = now - before.at >= sessionGapMs
  return { ...before, ...(isAnother && { from: before.upTo }), upTo: newest, at: now }
}

/** The uids added since the previous session. */
export const newUids = (whatsNew: WhatsNew | undefined, sessions: Sessions | undefined): string[] =>
  sessions?.from === undefined ? [] : uidsAfter(whatsNew, sessions.from)

/** The uids added since the last page view. */
export const unseenUids = (whatsNew: WhatsNew | undefined, sessions: Sessions | undefined): string[] =>
  sessions ? uidsAfter(whatsNew, sessions.upTo) : []

/** The count on the icon: unseen teachings, and those of open notifications that this device does not have yet. */
export function unseenCount(
  whatsNew: WhatsNew | undefined,
  sessions: Sessions | undefined,
  notified: readonly string[],
): number {
  const here = new Set((whatsNew?.came ?? []).map(({ uid }) => uid))
  return new Set([...unseenUids(whatsNew, sessions), ...notified.filter((uid) => !here.has(uid))]).size
}

const uidsAfter = (whatsNew: WhatsNew | undefined, after: number): string[] =>
  (whatsNew?.came ?? []).flatMap(({ uid, number }) => (number > after ? [uid] : []))

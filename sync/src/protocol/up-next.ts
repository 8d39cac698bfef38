import { listeningLimits } from '@fellowship/schema/listening/listening.limits'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/** The place of a teaching in Up next. */
export interface UpNextEntry {
  /** The teaching's: it is in the list at most once. */
  uid: string
  /** A fractional key: entries stand in its order, and by uid if two devices made the same key. */
  order: string
  /** A removed entry stays as a tombstone, so that another device does not bring it back. */
  removed: boolean
  /** When it was added, moved or removed, epoch milliseconds. */
  changedAt: number
}

export type UpNextAction =
  /** To the front, in this order; teachings of the list move there. */
  | { type: 'playNext'; uids: readonly string[] }
  /** To the end, in this order; teachings of the list keep their places. */
  | { type: 'addToEnd'; uids: readonly string[] }
  /** Before another entry; to the end if that is null or gone. */
  | { type: 'move'; uid: string; before: string | null }
  | { type: 'remove'; uids: readonly string[] }
  /** Undoes a removal: each returns to its place. */
  | { type: 'putBack'; uids: readonly string[] }

/** Characters of a key after which the list gets new keys. */
const longestKey = listeningLimits.order / 2

/** How many teachings the list holds. */
export const upNextLimit = 500

/** Whether a text can be the key of a place: another one, once stored, would fail every later change of the list. */
export function isOrderKey(text: string): boolean {
  try {
    generateKeyBetween(text, null)
    return true
  } catch {
    return false
  }
}

/** The uids of the list, first to last. */
export const upNextOrder = (entries: readonly UpNextEntry[]): string[] =>
  standing(entries).map(({ uid }) => uid)

/**
 * The entries that an action adds or changes, if any. Entries over the limit are left out.
 *
 * @param entries all, with the tombstones
 * @param now epoch milliseconds
 */
export function changeUpNext(
  entries: readonly UpNextEntry[],
  action: UpNextAction,
  now: number,
): readonly UpNextEntry[] {
  switch (action.type) {
    case 'playNext':
      return place(entries, action.uids, 0, now)
    case 'addToEnd': {
      const present = new Set(upNextOrder(entries))
      const added = action.uids.filter((uid) => !present.has(uid))
      return place(entries, added, Infinity, now)
    }
    case 'move':
      return move(entries, action, now)
    case 'remove':
      return setRemoved(entries, action.uids, true, now)
    case 'putBack':
      return setRemoved(entries, action.uids, false, now)
  }
}

const standing = (entries: readonly UpNextEntry[]): UpNextEntry[] =>
  entries.filter(({ removed }) => !removed).sort(inOrder)

const inOrder = (a: UpNextEntry, b: UpNextEntry): number => compare(a.order, b.order) || compare(a.uid, b.uid)

/** By code units, as the keys were made: a comparison by language would sort capitals elsewhere. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function move(
  entries: readonly UpNextEntry[],
  { uid, before }: { uid: string; before: string | null },
  now: number,
): readonly UpNextEntry[] {
  const order = upNextOrder(entries)
  if (!order.includes(uid) || uid === before) return []
  const others = order.filter((other) => other !== uid)
  const found = before === null ? -1 : others.indexOf(before)
  const at = found < 0 ? others.length : found
  return order.indexOf(uid) === at ? [] : place(entries, [uid], at, now)
}

/** Puts teachings before the one at `at`, counted without them. */
function place(
  entries: readonly UpNextEntry[],
  uids: readonly string[],
  at: number,
  now: number,
): readonly UpNextEntry[] {
  const named = new Set(uids)
  const others = standing(entries).filter(({ uid }) => !named.has(uid))
  const placed = [...named].slice(0, Math.max(0, upNextLimit - others.length))
  const from = Math.min(at, others.length)
  // Two devices may have made one key, and nothing fits between equal ones: those behind get new keys too.
  let to = from
  const before = others[from - 1]?.order ?? null
  while (before !== null && to < others.length && others[to]!.order <= before) to += 1
  const uidsOf = (some: readonly UpNextEntry[]) => some.map(({ uid }) => uid)
  let renewed = [...placed, ...uidsOf(others.slice(from, to))]
  if (renewed.length === 0) return []
  let keys = generateNKeysBetween(before, others[to]?.order ?? null, renewed.length)
  // Keys grow with each move into the same gap. Long before one is refused, all begin anew.
  if (keys.some(({ length }) => length > longestKey)) {
    renewed = [...uidsOf(others.slice(0, from)), ...placed, ...uidsOf(others.slice(from))]
    keys = generateNKeysBetween(null, null, renewed.length)
  }
  const known = new Map(entries.map((entry) => [entry.uid, entry]))
  return renewed.map((uid, index) => ({
    uid,
    order: keys[index]!,
    removed: false,
    changedAt: later(known.get(uid), now),
  }))
}

function setRemoved(
  entries: readonly UpNextEntry[],
  uids: readonly string[],
  removed: boolean,
  now: number,
): readonly UpNextEntry[] {
  const named = new Set(uids)
  const room = removed ? Infinity : upNextLimit - standing(entries).length
  return entries
    .filter((entry) => named.has(entry.uid) && entry.removed !== removed)
    .slice(0, Math.max(0, room))
    .map((entry) => ({ ...entry, removed, changedAt: later(entry, now) }))
}

/** A change is later than the one before it, even if the clock was set back. */
const later = (before: UpNextEntry | undefined, now: number): number =>
  Math.max(now, (before?.changedAt ?? 0) + 1)

/**
 * React keys for the rows of a list that changes at every keystroke. Creating a DOM element is much slower than updating
 * its text, so rows are keyed by index and reuse the element at that index. If a row has state of its own (focus, an open
 * dialog, a pressed button), it must keep its element: every such state begins with a pointer or the focus in the row, so a
 * touched row is keyed by its teaching from then on.
 */
export interface RowPlaces {
  /** The keys of touched rows, by the uid of the teaching. */
  readonly own: ReadonlyMap<string, string>
  /** How often a row at this index was touched; each time the index gets a fresh key. */
  readonly given: readonly number[]
}

export const untouched: RowPlaces = { own: new Map(), given: [] }

/** The key of the row at index `at`, unique within the list. */
export const rowKey = ({ own, given }: RowPlaces, uid: string, at: number): string =>
  own.get(uid) ?? `${at}.${given[at] ?? 0}`

export function touched(places: RowPlaces, { uid, at }: { uid: string; at: number }): RowPlaces {
  if (places.own.has(uid)) return places
  const given = Array.from({ length: Math.max(places.given.length, at + 1) }, (_, n) => places.given[n] ?? 0)
  given[at]! += 1
  return { own: new Map(places.own).set(uid, rowKey(places, uid, at)), given }
}

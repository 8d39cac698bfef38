/**
 * In which element of the list each teaching is drawn. While one types, rows come and go at every key, and to make an
 * element takes far longer than to put other words into it: so whoever comes takes the element of whoever stood in
 * that place. Only what nobody has touched is handed on. Focus, an open dialog, a menu, what a click began: all that a
 * row can hold begins with a pointer over it or the focus in it, and from then on its element is its own, and goes
 * with it.
 */
export interface RowPlaces {
  /** The elements that are a teaching's own, by its uid. */
  readonly own: ReadonlyMap<string, string>
  /** How often the element of a place has become somebody's own. */
  readonly given: readonly number[]
}

export const untouched: RowPlaces = { own: new Map(), given: [] }

/** The key of the element for the teaching at this place of the list, counted from 0: no two rows of a list have the same. */
export const rowKey = ({ own, given }: RowPlaces, uid: string, at: number): string =>
  own.get(uid) ?? `${at}.${given[at] ?? 0}`

/** After somebody has touched the row of this teaching, which stands at this place. */
export function touched(places: RowPlaces, { uid, at }: { uid: string; at: number }): RowPlaces {
  if (places.own.has(uid)) return places
  const given = Array.from({ length: Math.max(places.given.length, at + 1) }, (_, n) => places.given[n] ?? 0)
  given[at]! += 1
  return { own: new Map(places.own).set(uid, rowKey(places, uid, at)), given }
}

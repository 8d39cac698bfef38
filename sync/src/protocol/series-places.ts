import type { Columns } from '@fellowship/schema/sync/sync.schema'

/** The tables of a snapshot, by kind. */
type Tables = Record<string, Columns>

/**
 * Names the teachings of series by their places in the snapshot, which compress to a tenth of their uids: each as the number
 * of rows from the one before it, the first from the top. One that is not in the snapshot, as it is in the bin, keeps its uid.
 */
export function withPlaces(tables: Tables): Tables {
  const uids = tables['teaching']?.['uid'] ?? []
  const placeOf = new Map(uids.map((uid, at) => [uid, at]))
  return withLists(tables, (list) => {
    let last = 0
    return list.map((uid) => {
      const place = placeOf.get(uid)
      if (place === undefined) return uid
      const step = place - last
      last = place
      return step
    })
  })
}

/**
 * The reverse; lists of uids, as earlier servers send them, stay as they are.
 *
 * @throws Error if a place is outside of the snapshot, so that a damaged page never becomes rows
 */
export function withUids(tables: Tables): Tables {
  const uids = tables['teaching']?.['uid'] ?? []
  return withLists(tables, (list) => {
    let last = 0
    return list.map((each) => {
      if (typeof each !== 'number') return each
      last += each
      if (uids[last] === undefined) throw new Error('A series names a row that the page does not have')
      return uids[last]
    })
  })
}

function withLists(tables: Tables, change: (list: readonly unknown[]) => unknown[]): Tables {
  const series = tables['series']
  const lists = series?.['teachings']
  if (!series || !lists) return tables
  return { ...tables, series: { ...series, teachings: lists.map((list) => change(list as unknown[])) } }
}

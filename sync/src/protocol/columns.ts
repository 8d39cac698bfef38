import type { Columns } from '@fellowship/schema/sync/sync.schema'

type Row = Readonly<Record<string, unknown>>

/** Converts rows to columns: one array per field, in row order, null if a row lacks the field. */
export function toColumns(rows: readonly Row[]): Columns {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]))
}

/**
 * Converts columns back to rows.
 *
 * @throws Error when columns differ in length, so that a truncated response never becomes rows
 */
export function fromColumns(columns: Columns): Record<string, unknown>[] {
  const entries = Object.entries(columns)
  const length = entries[0]?.[1].length ?? 0
  if (entries.some(([, values]) => values.length !== length)) throw new Error('Columns of unequal length')
  // Field by field in one order, so that all rows share a shape: several times quicker than from entries.
  const rows: Record<string, unknown>[] = []
  for (let at = 0; at < length; at += 1) {
    const row: Record<string, unknown> = {}
    for (const [name, values] of entries) row[name] = values[at]
    rows.push(row)
  }
  return rows
}

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

import { teachingsOf } from './series-address.ts'
import type { Series } from './series.schema.ts'

/** A series that a teaching belongs to, as the page of the teaching tells of it. */
export interface SeriesAround<Row> {
  readonly slug: string
  readonly title: string
  /** The teaching's place in it, from 1, among those that are in the library. */
  readonly place: number
  readonly count: number
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/**
 * The series that a teaching is in, in the order given, each with the teachings before and after it there. Those that are in
 * the bin are passed over.
 */
export function seriesAround<Row extends { uid: string }>(
  all: readonly Series[],
  { uid }: { uid: string },
  library: ReadonlyMap<string, Row>,
): SeriesAround<Row>[] {
  return all.flatMap((series) => {
    if (!series.teachings.includes(uid)) return []
    const rows = teachingsOf(series, library)
    const at = rows.findIndex((row) => row.uid === uid)
    if (at === -1) return []
    const { slug, title } = series
    return { slug, title, place: at + 1, count: rows.length, before: rows[at - 1], after: rows[at + 1] }
  })
}

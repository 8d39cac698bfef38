import { teachingsOf } from './series-address.ts'
import type { Series } from './series.schema.ts'

/** A series that a teaching belongs to, as the page of the teaching tells of it. */
export interface SeriesAround<Row> {
  readonly slug: string
  readonly title: string
  /** The teaching's number in it, from 1, not counting deleted teachings. */
  readonly place: number
  readonly count: number
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/**
 * The series that contain a teaching, in the given order, each with the teachings before and after it. Teachings in the bin
 * are skipped.
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

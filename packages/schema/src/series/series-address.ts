import type { Series } from './series.schema.ts'
import { nameSlug, slugLike } from '../text-folding.ts'

/** The page that lists all series. */
export const seriesListPath = '/series'

/** The path of a series' page. One that is not sent yet has its uid for a slug. */
export const seriesPath = ({ slug }: Pick<Series, 'slug'>): string =>
  `${seriesListPath}/${encodeURIComponent(slug)}`

/** The slug in the path of a series' page; undefined if it is another path. */
export function slugAt(pathname: string): string | undefined {
  const [, encoded] = /^\/series\/([^/]+)$/.exec(pathname) ?? []
  if (encoded === undefined) return undefined
  try {
    const slug = decodeURIComponent(encoded)
    return slugLike.test(slug) ? slug : undefined
  } catch {
    return undefined
  }
}

/** The teachings of a series that are in the library, in the order of the series. */
export function teachingsOf<Row extends { uid: string }>(
  { teachings }: Pick<Series, 'teachings'>,
  library: ReadonlyMap<string, Row>,
): Row[] {
  return teachings.flatMap((uid) => library.get(uid) ?? [])
}

/** The series that a slug names; a link of the device that began it may hold its uid. */
export const seriesAt = (all: readonly Series[], slug: string): Series | undefined =>
  all.find((each) => each.slug === slug) ?? all.find(({ uid }) => uid === slug)

/**
 * The part of an address that a new series gets from its title: 'Hope in Hard Times' is 'hope-in-hard-times', the next
 * one of that title 'hope-in-hard-times-2'. It stays when the series is renamed, so that old links lead on.
 *
 * @param taken the slugs of other series, deleted ones included
 */
export function freeSlug(title: string, taken: ReadonlySet<string>): string {
  const base = slugBase(title)
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!taken.has(slug)) return slug
  }
}

/** The beginning of the slugs of all series with this title. */
export const slugBase = (title: string): string =>
  // By characters, as a cut inside one is no valid text.
  [...nameSlug(title)].slice(0, baseLength).join('').replace(/-$/, '') || 'series'

/** Leaves room for a number within the column. */
const baseLength = 80

/** A series that a teaching belongs to, as the page of the teaching tells of it. */
export interface SeriesAround<Row> {
  readonly slug: string
  readonly title: string
  readonly imageUrl: string | null
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
    const { slug, title, imageUrl } = series
    const [before, after] = [rows[at - 1], rows[at + 1]]
    return { slug, title, imageUrl, place: at + 1, count: rows.length, before, after }
  })
}

import type { Series } from './series.schema.ts'

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

/** Words of letters and digits with hyphens between them. */
export const slugLike = /^[\p{L}\p{N}\p{M}]+(?:-[\p{L}\p{N}\p{M}]+)*$/u

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

import { slugAt, teachingsOf } from '@fellowship/schema/series/series-address'
import { seriesAround, type SeriesAround } from '@fellowship/schema/series/series-around'
import type { Series } from '@fellowship/schema/series/series.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { onceMade } from '../../machine/once-made.ts'

/** A series with those of its teachings that are in the library, in order. */
export interface SeriesWithTeachings {
  readonly series: Series
  readonly teachings: readonly Teaching[]
}

/**
 * Finds series by their address and by their teachings, of which a library may have thousands with hundreds each.
 *
 * @param all by title
 * @param rows the library by uid
 */
export function seriesIndex(all: readonly Series[], rows: () => ReadonlyMap<string, Teaching>) {
  const found = new Map<Series, SeriesWithTeachings>()
  const bySlug = onceMade(() => new Map(all.map((series) => [series.slug, series])))
  // A link of the device that began a series may hold its uid.
  const byUid = onceMade(() => new Map(all.map((series) => [series.uid, series])))
  const byTeaching = onceMade(() => withTeaching(all))
  return {
    allSeries: onceMade(() => all.map(withTeachings)),
    seriesAt(pathname: string): SeriesWithTeachings | undefined {
      const slug = slugAt(pathname)
      const series = slug === undefined ? undefined : (bySlug().get(slug) ?? byUid().get(slug))
      return series && withTeachings(series)
    },
    seriesAround: (teaching: Teaching): SeriesAround<Teaching>[] =>
      seriesAround(byTeaching().get(teaching.uid) ?? [], teaching, rows()),
  }

  function withTeachings(series: Series): SeriesWithTeachings {
    const known = found.get(series) ?? { series, teachings: teachingsOf(series, rows()) }
    found.set(series, known)
    return known
  }
}

function withTeaching(all: readonly Series[]): Map<string, Series[]> {
  const having = new Map<string, Series[]>()
  for (const series of all) {
    for (const uid of new Set(series.teachings)) {
      const known = having.get(uid)
      if (known) known.push(series)
      else having.set(uid, [series])
    }
  }
  return having
}

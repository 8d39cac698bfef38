import { seriesAround, type SeriesAround } from '@fellowship/schema/series/series-around'
import { teachingsOf } from '@fellowship/schema/series/series-address'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useSeries } from '../features/series/use-series.list.ts'
import type { Library } from '../features/teachings/library.ts'

/** A series that a teaching is in, with all of its teachings in order where they are known. */
export type AroundInOrder = SeriesAround<Teaching> & { readonly inOrder?: readonly Teaching[] }

/**
 * Finds the series that a teaching is in: as the server rendered the page at this path, then as the replica has them once it
 * has all teachings, by title.
 */
export function useSeriesAround(
  pathname: string,
  library: Library,
  userId: number | undefined,
): (teaching: ListedTeaching) => readonly AroundInOrder[] {
  const all = useSeries(userId)
  const rows = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Going through ten thousand rows may wait until the page is seen.
  const whole = useDeferredValue(rows)
  return useMemo(() => {
    const drawn = firstPartOf(pathname)?.series ?? none
    if (!all || !whole) return () => drawn
    const byUid = new Map(whole.map((row) => [row.uid, row]))
    const bySlug = new Map(all.map((series) => [series.slug, series]))
    return (teaching: ListedTeaching) =>
      seriesAround(all, teaching, byUid).map((around) => ({
        ...around,
        inOrder: teachingsOf(bySlug.get(around.slug)!, byUid),
      }))
  }, [pathname, all, whole])
}

const none: readonly AroundInOrder[] = []

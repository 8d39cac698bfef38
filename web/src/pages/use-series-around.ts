import { seriesAround, type SeriesAround } from '@fellowship/schema/series/series-around'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useSeries } from '../features/series/use-series.ts'
import type { Library } from '../features/teachings/library.ts'

/**
 * Finds the series that a teaching is in: as the server rendered the page at this path, then as the replica has them once it
 * has all teachings, by title.
 */
export function useSeriesAround(
  pathname: string,
  library: Library,
  userId: number | undefined,
): (teaching: Teaching) => readonly SeriesAround<Teaching>[] {
  const all = useSeries(userId)
  const rows = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Going through ten thousand rows may wait until the page is seen.
  const whole = useDeferredValue(rows)
  return useMemo(() => {
    const drawn = firstPartOf(pathname)?.series ?? none
    if (!all || !whole) return () => drawn
    const byUid = new Map(whole.map((row) => [row.uid, row]))
    return (teaching: Teaching) => seriesAround(all, teaching, byUid)
  }, [pathname, all, whole])
}

const none: readonly SeriesAround<Teaching>[] = []

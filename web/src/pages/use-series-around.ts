import { seriesAround, type SeriesAround, teachingsOf } from '@fellowship/schema/series/series-address'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useSeries } from '../features/series/use-series.list.ts'
import type { Library } from '../features/teachings/library.ts'

/** A series that contains a teaching, with all of its teachings in order if they are loaded. */
export type AroundInOrder = SeriesAround<Teaching> & { readonly inOrder?: readonly Teaching[] }

/**
 * Finds the series that contain a teaching, by title: from the page as the server rendered it, then from the replica when
 * it has all teachings.
 */
export function useSeriesAround(
  pathname: string,
  library: Library,
  userId: number | undefined,
): (teaching: ListedTeaching) => readonly AroundInOrder[] {
  const all = useSeries(userId)
  const rows = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Deferred until the page is painted, as there may be ten thousand rows.
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

import { counted } from '@fellowship/schema/counted'
import { seriesListPath } from '@fellowship/schema/series/series-address'
import { seriesFinder } from '@fellowship/schema/series/series-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { ListMusic } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { useAfterPaint } from '../../lib/use-after-paint.ts'
import { useSeries } from './use-series.list.ts'

interface SeriesFoundProps {
  /** As typed. */
  query: string
  rows: readonly Teaching[]
  userId: number | undefined
}

/** The series whose titles match the search, each linked to its page. They follow typing, never delay it. */
export function SeriesFound({ query, rows, userId }: SeriesFoundProps) {
  const all = useSeries(userId)
  const typed = useAfterPaint(query)
  const library = useDeferredValue(rows)
  const find = useMemo(() => all && seriesFinder(all), [all])
  const found = useMemo(
    () =>
      (find?.(typed, mostFound) ?? []).map((series) => ({
        series,
        count: countIn(library, series.teachings),
      })),
    [find, typed, library],
  )
  if (found.length === 0) return null
  return (
    <ul aria-label="Series found" className="mt-4 flex flex-col">
      {found.map(({ series: { uid, slug, title }, count }) => (
        <li key={uid} className="min-w-0 wrap-anywhere">
          <Link
            to="/$"
            params={{ _splat: `${seriesListPath.slice(1)}/${slug}` }}
            className="inline-flex min-h-11 items-center gap-3 text-pine underline-offset-4 hover:underline"
          >
            <ListMusic className="size-5 shrink-0" />
            <span>
              Series: {title}, {counted(count, 'teaching')}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** How many of these are in the library; a table of all its rows would slow a keystroke more than the search does. */
function countIn(library: readonly Teaching[], uids: readonly string[]): number {
  const wanted = new Set(uids)
  return library.reduce((count, { uid }) => count + (wanted.has(uid) ? 1 : 0), 0)
}

const mostFound = 3

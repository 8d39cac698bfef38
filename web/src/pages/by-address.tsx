import { seriesListPath, slugAt } from '@fellowship/schema/series/series-address'
import { teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { groupAddress } from '@fellowship/schema/teachings/teaching-groups'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Groups } from './groups.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { TeachingDetail } from './teaching-detail.tsx'

// They read the outbox before they are drawn, and no server renders them.
const SeriesList = lazy(() => import('./series-list.tsx').then((m) => ({ default: m.SeriesList })))
const SeriesDetail = lazy(() => import('./series-detail.tsx').then((m) => ({ default: m.SeriesDetail })))

/** Every address without a route: the page of a teaching, of a speaker, a book or a series, or the 404 page. */
export function ByAddress() {
  const pathname = `/${useParams({ from: '/$' })._splat ?? ''}`.replace(/(.)\/$/, '$1')
  const key = teachingKey(pathname)
  if (key !== undefined) return <TeachingDetail key={key} pathname={pathname} />
  const slug = slugAt(pathname)
  if (pathname === seriesListPath || slug !== undefined)
    return (
      <Suspense fallback={<PageSkeleton label="Series" />}>
        {slug === undefined ? <SeriesList /> : <SeriesDetail key={slug} slug={slug} />}
      </Suspense>
    )
  const group = groupAddress(pathname)
  return group ? <Groups key={group.path} address={group} /> : <NotFound />
}

import { seriesListPath, slugAt } from '@fellowship/schema/series/series-address'
import { teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { groupAddress } from '@fellowship/schema/teachings/teaching-groups'
import { useParams } from '@tanstack/react-router'
import { Groups } from './groups.tsx'
import { NotFound } from './not-found.tsx'
import { SeriesDetail } from './series-detail.tsx'
import { SeriesList } from './series-list.tsx'
import { TeachingDetail } from './teaching-detail.tsx'

/** Every address without a route: the page of a teaching, of a speaker, a book or a series, or the 404 page. */
export function ByAddress() {
  const pathname = `/${useParams({ from: '/$' })._splat ?? ''}`.replace(/(.)\/$/, '$1')
  const key = teachingKey(pathname)
  if (key !== undefined) return <TeachingDetail key={key} pathname={pathname} />
  const slug = slugAt(pathname)
  if (slug !== undefined) return <SeriesDetail key={slug} slug={slug} />
  if (pathname === seriesListPath) return <SeriesList />
  const group = groupAddress(pathname)
  return group ? <Groups key={group.path} address={group} /> : <NotFound />
}

import { eventsPath } from '@fellowship/schema/events/event-address'
import { meantPages } from '@fellowship/schema/meant-pages'
import { movedPages } from '@fellowship/schema/pages/places'
import { slugAt } from '@fellowship/schema/series/series-address'
import { teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { groupAddress } from '@fellowship/schema/teachings/teaching-groups'
import { useParams, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useChurch } from '../lib/use-church.ts'
import { inPage, lazyPart } from '../ui/lazy-part.tsx'
import { Events } from './events.tsx'
import { Groups } from './groups.tsx'
import { NotFound } from './not-found.tsx'
import { SeriesDetail } from './series-detail.tsx'
import { TeachingDetail } from './teaching-detail.tsx'
import { WrittenPage } from './written-page.tsx'

export { Browse } from './browse.tsx'

// A build has no such page.
const UiParts = import.meta.env.DEV ? lazyPart(() => import('./ui-parts.tsx'), 'UiParts', inPage) : NotFound

/** Every address without a route: the page of a teaching, of a speaker, a book or a series, one that was written here, or the 404 page. */
export function ByAddress() {
  const { links } = useChurch()
  const pathname = `/${useParams({ from: '/$' })._splat ?? ''}`.replace(/(.)\/$/, '$1')
  if (import.meta.env.DEV && pathname === '/ui') return <UiParts />
  if (pathname === eventsPath) return <Events />
  const key = teachingKey(pathname)
  if (key !== undefined) return <TeachingDetail key={key} pathname={pathname} />
  const slug = slugAt(pathname)
  if (slug !== undefined) return <SeriesDetail key={slug} slug={slug} />
  const group = groupAddress(pathname)
  if (group) return <Groups key={group.path} address={group} />
  const link = links?.find(({ path }) => path === pathname)
  if (link) return <WrittenPage key={link.path} link={link} />
  const meant = movedPages[pathname] ?? meantPages(pathname)[0]
  return meant === undefined ? <NotFound /> : <LeadTo path={meant} />
}

function LeadTo({ path }: { path: string }) {
  const { history } = useRouter()
  useEffect(() => history.replace(encodeURI(path)), [history, path])
  return null
}

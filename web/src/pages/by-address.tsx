import { teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { groupAddress } from '@fellowship/schema/teachings/teaching-groups'
import { useParams } from '@tanstack/react-router'
import { Groups } from './groups.tsx'
import { NotFound } from './not-found.tsx'
import { TeachingDetail } from './teaching-detail.tsx'

/** Every address that has no route of its own: the page of a teaching, of a speaker or a book, or the 404 page. */
export function ByAddress() {
  const pathname = `/${useParams({ from: '/$' })._splat ?? ''}`
  const key = teachingKey(pathname)
  if (key !== undefined) return <TeachingDetail key={key} pathname={pathname} />
  const group = groupAddress(pathname)
  return group ? <Groups key={group.path} address={group} /> : <NotFound />
}

import { teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { useParams } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { TeachingDetail } from './teaching-detail.tsx'

/** Every address that has no route of its own: the page of a teaching, or the 404 page. */
export function ByAddress() {
  const pathname = `/${useParams({ from: '/$' })._splat ?? ''}`
  const key = teachingKey(pathname)
  return key === undefined ? <NotFound /> : <TeachingDetail key={key} pathname={pathname} />
}

import { browsePath } from './pages/places.ts'
import { slugAt } from './series/series-address.ts'
import { groupAddress, type GroupKind } from './teachings/teaching-groups.ts'
import { teachingKey } from './teachings/teaching-address.ts'

/** The paths that are pages. Any other path is the 404 page, with status 404. */
const pageRoutes = [
  { path: '/', access: 'everyone' },
  { path: '/about', access: 'everyone' },
  { path: '/teaching', access: 'everyone' },
  { path: '/listening', access: 'everyone' },
  { path: browsePath, access: 'everyone' },
  // Parts of the page above, which they lead to.
  { path: '/speakers', access: 'everyone' },
  { path: '/books', access: 'everyone' },
  { path: '/series', access: 'everyone' },
  { path: '/events', access: 'everyone' },
  { path: '/admin', access: 'admin' },
  { path: '/manage', access: 'admin' },
  // Targets of links in emails.
  { path: '/reset-password', access: 'everyone' },
  { path: '/verify-email', access: 'everyone' },
] as const

/** Pages of one kind each: their label, and whether an address may be one of them. */
const pageFamilies = [
  { label: '/teaching/:address', isIn: (pathname: string) => teachingKey(pathname) !== undefined },
  { label: '/speakers/:name', isIn: isGroup('speakers') },
  { label: '/books/:name', isIn: isGroup('books') },
  { label: '/series/:slug', isIn: (pathname: string) => slugAt(pathname) !== undefined },
] as const

function isGroup(kind: GroupKind) {
  return (pathname: string) => {
    return groupAddress(pathname)?.kind === kind
  }
}

/** First segments of addresses that are no pages: calls, files, and those that earlier releases or the server itself use. */
const otherSegments = [
  'api',
  'artwork',
  'assets',
  'audio',
  'covers',
  'home',
  'icons',
  'images',
  'metrics',
  'offline-audio',
  'transcripts',
  'ui',
]

/** Whether a written page must not have this slug, since `/slug` is an address of the site itself. */
export const isReserved = (slug: string): boolean =>
  otherSegments.includes(slug) || pageRoutes.some(({ path }) => path === `/${slug}`)

/** Whether a pathname, with or without a trailing slash, is a page. */
export function isPage(pathname: string): boolean {
  const bare = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  return pageRoutes.some(({ path }) => path === bare) || pageFamilies.some(({ isIn }) => isIn(bare))
}

/** The declared path of a page; undefined if no page has this pathname. */
export function pageLabel(pathname: string): string | undefined {
  return pageFamilies.find(({ isIn }) => isIn(pathname))?.label ?? (isPage(pathname) ? pathname : undefined)
}

import type { PageLink } from '@fellowship/schema/written-pages/written-pages.schema'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChurch } from '../lib/use-church.ts'
import { useAuth, useProbableUser } from '../features/auth/auth-context.tsx'
import { lazyPart, optional } from '../ui/lazy-part.tsx'

const InboxCount = lazyPart(() => import('../features/inbox/inbox-count.tsx'), 'InboxCount', optional)

/**
 * The links before those to written pages. Those with an icon are the places of the library, which a phone has at its bottom
 * edge.
 */
const links: readonly (Partial<PageLink> & { icon?: string; count?: ReactNode })[] = [
  { path: '/', title: 'Home' },
  { path: '/about', title: 'About' },
  { path: '/teaching', title: 'Teaching', icon: 'M4 5h16M4 10h16M4 15h9M4 20h9M17 14v7l5-3.5z' },
  { path: '/browse', title: 'Browse', icon: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z' },
  { path: '/listening', title: 'My listening', icon: 'M3 19v-6a9 9 0 0 1 18 0v6h-5v-6h5M3 13h5v6H3' },
]

interface NavigationLinksProps {
  /** With icons: only links that have one are shown on narrow screens, and the icons on a phone. */
  places?: boolean
  /** Classes of every link; style the current one by its `aria-current="page"`. */
  className: string
  onFollow?: () => void
}

/** Highlights / on an exact match, the others by path prefix. */
export function NavigationLinks({ places, className, onFollow }: NavigationLinksProps) {
  const admin = {
    path: '/admin',
    title: 'Admin',
    icon: 'M12 3l8 3-2 11-6 4-6-4L4 6z',
    hidden: useProbableUser()?.role !== 'admin',
    count: useAuth().user && <InboxCount />,
  }
  return [...links, ...(useChurch().links ?? []), admin].map(
    ({ path, title, hidden, icon, count }: (typeof links)[number]) =>
      hidden || (
        <li key={path} className={places && !icon ? 'max-lg:hidden' : undefined}>
          <Link
            to={path as '/'}
            activeOptions={{ exact: path === '/', includeSearch: false }}
            className={className}
            onClick={onFollow}
          >
            {places && icon && (
              <svg
                viewBox="0 0 24 24"
                aria-hidden="true"
                className="size-6 fill-none stroke-current stroke-2 sm:hidden"
                strokeLinejoin="round"
              >
                <path d={icon} />
              </svg>
            )}
            {title}
            {count}
          </Link>
        </li>
      ),
  )
}

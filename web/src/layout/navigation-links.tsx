import { Link } from '@tanstack/react-router'
import { useAuth } from '../features/auth/auth-context.tsx'

/** The links of the navigation; Admin is shown only if an administrator is signed in. */
const links = [
  { to: '/', label: 'Home', admin: false },
  { to: '/about', label: 'About', admin: false },
  { to: '/teaching', label: 'Teaching', admin: false },
  { to: '/admin', label: 'Admin', admin: true },
] as const

interface NavigationLinksProps {
  /** Classes of every link; style the current one by its `aria-current="page"`. */
  className: string
  onFollow?: () => void
}

/** Highlights / on an exact match, the others by path prefix. */
export function NavigationLinks({ className, onFollow }: NavigationLinksProps) {
  const { user } = useAuth()
  return links
    .filter(({ admin }) => !admin || user?.role === 'admin')
    .map(({ to, label }) => (
      <li key={to}>
        <Link
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className={className}
          onClick={onFollow}
        >
          {label}
        </Link>
      </li>
    ))
}

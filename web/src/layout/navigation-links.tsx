import { Link } from '@tanstack/react-router'
import { useAuth } from '../features/auth/auth-context.tsx'

/** The links of the navigation; Admin is for a signed-in administrator alone. */
const links = [
  { to: '/', label: 'Home', admin: false },
  { to: '/about', label: 'About', admin: false },
  { to: '/teaching', label: 'Teaching', admin: false },
  { to: '/admin', label: 'Admin', admin: true },
] as const

interface NavigationLinksProps {
  /** Classes of every link; the current one carries `aria-current="page"` to be styled by. */
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

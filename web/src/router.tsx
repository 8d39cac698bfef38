import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Layout } from './layout/layout.tsx'
import { ErrorPage } from './ui/error-page.tsx'
import { PageSpinner } from './ui/spinner.tsx'

/** What may stand behind the `?` of any page. */
interface PageSearch {
  /** Opens the sign-in panel. */
  signin?: string | undefined
  /** Where to go after signing in; judged before it is followed. */
  return?: string | undefined
}

const root = createRootRoute({
  component: Layout,
  notFoundComponent: lazyRouteComponent(() => import('./pages/not-found.tsx'), 'NotFound'),
  validateSearch: ({ signin, return: back }: Record<string, unknown>): PageSearch => ({
    ...(signin !== undefined && { signin: '' }),
    ...(typeof back === 'string' && { return: back }),
  }),
})

/** SPEC §2 route table. Any other path is the 404 page. */
const routeTree = root.addChildren([
  page(
    '/',
    lazyRouteComponent(() => import('./pages/home.tsx'), 'Home'),
  ),
  page(
    '/about',
    lazyRouteComponent(() => import('./pages/about.tsx'), 'About'),
  ),
  page(
    '/teaching',
    lazyRouteComponent(() => import('./pages/teaching.tsx'), 'TeachingPage'),
  ),
  adminPage(
    '/admin',
    'sign-in',
    lazyRouteComponent(() => import('./pages/admin.tsx'), 'Admin'),
  ),
  adminPage(
    '/manage',
    'home',
    lazyRouteComponent(() => import('./pages/manage.tsx'), 'Manage'),
  ),
])

export const makeRouter = () =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: PageSpinner,
    defaultErrorComponent: ErrorPage,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}

function page<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component })
}

const AdminOnly = lazy(() => import('./features/auth/admin-only.tsx').then((m) => ({ default: m.AdminOnly })))

/** The page's code is fetched only once it is known that an administrator asks for it. */
function adminPage<const Path extends string>(
  path: Path,
  stranger: 'home' | 'sign-in',
  Page: RouteComponent,
) {
  const component = () => (
    <Suspense fallback={<PageSpinner />}>
      <AdminOnly stranger={stranger}>
        <Page />
      </AdminOnly>
    </Suspense>
  )
  return createRoute({ getParentRoute: () => root, path, component })
}

import { sharedOutcomes, type SharedOutcome } from '@fellowship/sync/client/uploads/upload-share-address'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  type RouterHistory,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Layout } from './layout/layout.tsx'
import { reducesData } from './lib/comfort.ts'
import { lazyPage } from './lib/lazy-page.tsx'
import { ErrorPage } from './ui/error-page.tsx'
import { inPage, lazyPart } from './ui/lazy-part.tsx'
import { PageSpinner } from './ui/spinner.tsx'

/** Search parameters of any page. */
interface PageSearch {
  /** Opens the sign-in panel. */
  signin?: string | undefined
  /** The address after signing in; validated before use. */
  return?: string | undefined
}

interface TeachingSearch {
  /** Saved recordings only, teachings added since the last visit, or everything; by default depends on being online. */
  show?: 'saved' | 'new' | 'all' | undefined
  /** The field to focus: app shortcuts of the installed site set it. */
  focus?: 'search' | 'upload' | undefined
  q?: string | undefined
  book?: string | undefined
  speaker?: string | undefined
  year?: number | undefined
  /** Why a shared file was not accepted. */
  shared?: SharedOutcome | undefined
  /** The uid of a teaching, in a link of an earlier release. */
  t?: string | undefined
  /** The second of it to play from. */
  at?: number | undefined
}

interface AdminSearch {
  /** The open tab; by default the first one. */
  tab?: string | undefined
  /** The tab inside it. */
  part?: string | undefined
}

const root = createRootRoute({
  component: Layout,
  validateSearch: ({ signin, return: back }: Record<string, unknown>): PageSearch => ({
    ...(signin !== undefined && { signin: '' }),
    ...(typeof back === 'string' && { return: back }),
  }),
})

const pages = {
  home: () => import('./pages/home.tsx'),
  about: () => import('./pages/about.tsx'),
  teaching: () => import('./pages/teaching.tsx'),
  byAddress: () => import('./pages/by-address.tsx'),
  listening: () => import('./pages/listening.tsx'),
  admin: () => import('./pages/admin.tsx'),
  manage: () => import('./pages/manage.admin.tsx'),
  resetPassword: () => import('./pages/reset-password.tsx'),
  verifyEmail: () => import('./pages/verify-email.tsx'),
}

const teachingRoute = createRoute({
  getParentRoute: () => root,
  path: '/teaching',
  component: lazyPage(pages.teaching, 'TeachingPage'),
  validateSearch: ({
    show,
    focus,
    shared,
    q,
    book,
    speaker,
    year,
    t,
    at,
  }: Record<string, unknown>): TeachingSearch => ({
    ...((show === 'saved' || show === 'new' || show === 'all') && { show }),
    ...((focus === 'search' || focus === 'upload') && { focus }),
    shared: sharedOutcomes.find((outcome) => outcome === shared),
    ...(q !== undefined && { q: text(q) }),
    ...(typeof book === 'string' && { book }),
    ...(speaker !== undefined && { speaker: text(speaker) }),
    ...(typeof year === 'number' && { year }),
    ...(typeof t === 'string' && { t }),
    ...(typeof at === 'number' && { at }),
  }),
})

const adminRoute = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  component: adminOnly('sign-in', async () => (await pages.admin()).Admin),
  validateSearch: ({ tab, part }: Record<string, unknown>): AdminSearch => ({
    ...(typeof tab === 'string' && { tab }),
    ...(typeof part === 'string' && { part }),
  }),
})

const routeTree = root.addChildren([
  page('/', lazyPage(pages.home, 'Home')),
  page('/about', lazyPage(pages.about, 'About')),
  teachingRoute,
  page('/browse', lazyPage(pages.byAddress, 'Browse')),
  page('/listening', lazyPage(pages.listening, 'ListeningPage')),
  adminRoute,
  page('/reset-password', lazyPage(pages.resetPassword, 'ResetPassword')),
  // Any other path: the page of a teaching, or the 404 page.
  page('/$', lazyPage(pages.byAddress, 'ByAddress')),
  page('/verify-email', lazyPage(pages.verifyEmail, 'VerifyEmail')),
  page(
    '/manage',
    adminOnly('home', async () => (await pages.manage()).Manage),
  ),
])

/** Words of an address, as they were typed: some look like a number. */
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The router; a test hands in a history of its own. */
export const makeRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree,
    ...(history && { history }),
    defaultPreload: reducesData() ? false : 'intent',
    // Only a browser's own history has a place to go back to.
    scrollRestoration: history === undefined,
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

const AdminOnly = lazyPart(() => import('./features/auth/admin-only.tsx'), 'AdminOnly', inPage)

/** Fetches the page's code only if the signed-in user is an administrator. */
function adminOnly(anonymous: 'home' | 'sign-in', load: () => Promise<ComponentType>): RouteComponent {
  const Page = lazyPart(async () => ({ Page: await load() }), 'Page', inPage)
  return () => (
    <AdminOnly anonymous={anonymous}>
      <Page />
    </AdminOnly>
  )
}

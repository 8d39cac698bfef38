/** The paths that are pages. Any other path is the 404 page, with status 404. */
const pageRoutes = [
  { path: '/', access: 'everyone' },
  { path: '/about', access: 'everyone' },
  { path: '/teaching', access: 'everyone' },
  { path: '/admin', access: 'admin' },
  { path: '/manage', access: 'admin' },
  // Targets of links in emails.
  { path: '/reset-password', access: 'everyone' },
  { path: '/verify-email', access: 'everyone' },
] as const

/** Whether a pathname, with or without a trailing slash, is a page. */
export function isPage(pathname: string): boolean {
  const bare = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  return pageRoutes.some(({ path }) => path === bare)
}

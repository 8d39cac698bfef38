/** The page after a sign-in at `/api/login`: `return`, else a Referer of this site, else the home page. */
export const pageAfterSignIn = (
  wanted: string | undefined,
  referer: string | undefined,
  host: string | undefined,
): string => ownPath(wanted, host) ?? ownPath(referer, host) ?? '/'

/** The home page with the sign-in panel open, which then redirects; the page itself may need the sign-in. */
export const signInAddress = (page: string): string => `/?signin&return=${encodeURIComponent(page)}`

/** The path of an address of this site; undefined for anything that could be an open redirect. */
function ownPath(address: string | undefined, host: string | undefined): string | undefined {
  if (!address) return undefined
  const base = `http://${host ?? 'localhost'}`
  if (!URL.canParse(address, base)) return undefined
  const url = new URL(address, base)
  const own = url.host === new URL(base).host && (url.protocol === 'http:' || url.protocol === 'https:')
  if (!own || url.pathname.startsWith('//') || url.pathname.startsWith('/api/')) return undefined
  url.searchParams.delete('signin')
  url.searchParams.delete('return')
  return url.pathname + url.search
}

import { verifyRequestOrigin } from 'oslo/request'

/**
 * Whether a state-changing request comes from this site's pages, by Sec-Fetch-Site and Origin. Absent headers pass: other
 * clients send none, and the session's CSRF token is checked too. `publicUrl` is the configured origin, `host` the Host
 * header.
 */
export function isOwnSite(
  headers: { secFetchSite: string | undefined; origin: string | undefined; host: string | undefined },
  publicUrl: string | undefined,
): boolean {
  if (headers.secFetchSite && headers.secFetchSite !== 'same-origin' && headers.secFetchSite !== 'none')
    return false
  if (headers.origin === undefined) return true
  // A Host header proves nothing where the site's name is known: a page elsewhere could have it sent along.
  const own = publicUrl === undefined || isLoopback(headers.host) ? headers.host : undefined
  const allowed = [own, publicUrl && new URL(publicUrl).host].filter((host) => !!host) as string[]
  if (!verifyRequestOrigin(headers.origin, allowed)) return false
  // The library compares hosts only, but a page on http:// is another origin than the site on https://.
  const isPublicHost = publicUrl !== undefined && hostOf(headers.origin) === new URL(publicUrl).host
  return !isPublicHost || new URL(headers.origin).protocol === new URL(publicUrl).protocol
}

/** Whether a Host header names this machine. */
export const isLoopback = (host: string | undefined): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')

const hostOf = (url: string) => new URL(url).host

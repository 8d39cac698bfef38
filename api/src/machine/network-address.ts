import { isIPv6 } from 'node:net'
import { verifyRequestOrigin } from 'oslo/request'

/**
 * The key of limits: an IPv4 address, or the /64 of an IPv6 address, which one household has whole and could otherwise
 * change at will ('2001:db8:1:2::/64'). An IPv4-mapped IPv6 address counts as the IPv4 one.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(plain) ? `${firstHalf(plain)}::/64` : plain
}

function firstHalf(address: string): string {
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]!.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const middle = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : []
  const parts = [...left, ...middle, ...right].slice(0, 4)
  return parts.map((part) => part.replace(/^0+(?=.)/, '')).join(':')
}

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
  // A Host header proves nothing if the site's name is known: a page elsewhere could have it sent along.
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

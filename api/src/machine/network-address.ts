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
 * Whether a state-changing request comes from this site's pages or an address that a person typed, by Sec-Fetch-Site and
 * Origin; by the Referer if a browser sends neither. If all are absent it passes: other clients send none, and calls other than
 * GET check the session's CSRF token too. `publicUrl` is the configured origin, `host` the Host header.
 */
export function isOwnSite(
  headers: {
    secFetchSite: string | undefined
    origin: string | undefined
    referer: string | undefined
    host: string | undefined
  },
  publicUrl: string | undefined,
): boolean {
  const { secFetchSite, host } = headers
  if (secFetchSite && secFetchSite !== 'same-origin' && secFetchSite !== 'none') return false
  const origin = headers.origin ?? (secFetchSite ? undefined : originOf(headers.referer))
  if (origin === undefined) return true
  // A Host header proves nothing if the site's name is known: a page elsewhere could have it sent along.
  const own = publicUrl === undefined || isLoopback(host) ? withoutDefaultPort(host) : undefined
  const allowed = [own, publicUrl && new URL(publicUrl).host].filter((name) => !!name) as string[]
  if (!verifyRequestOrigin(origin, allowed)) return false
  // The library compares hosts only, but a page on http:// is another origin than the site on https://.
  const isPublicHost = publicUrl !== undefined && hostOf(origin) === new URL(publicUrl).host
  return !isPublicHost || new URL(origin).protocol === new URL(publicUrl).protocol
}

/** A Host header without the port of HTTP or HTTPS, which some clients write; browsers never do. */
export const withoutDefaultPort = (host: string | undefined): string | undefined =>
  host?.replace(/:(?:80|443)$/, '')

/** Whether a Host header names this machine. */
export const isLoopback = (host: string | undefined): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')

const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined

const hostOf = (url: string) => new URL(url).host

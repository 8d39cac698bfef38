import type { IncomingMessage } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import type { Config } from '../config/config.ts'
import type { Clock } from '../machine/clock.ts'
import type { Log } from '../machine/log.ts'
import { isLoopback, withoutDefaultPort } from '../machine/network-address.ts'

/**
 * The refusal of a request by its Host header: more than one, or none since HTTP/1.1 (RFC 9112 3.2), and with PUBLIC_URL
 * any other name. The machine itself may ask by any of its loopback names, and health checks by whatever address they
 * know.
 */
export function hostRefusal({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  return ({ rawHeaders, headers, httpVersion }: IncomingMessage, pathname: string): Problem | undefined => {
    const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
      return new Problem('invalid_input', 'Send one Host header.')
    if (publicHost === undefined || pathname.startsWith('/api/health/')) return undefined
    const host = withoutDefaultPort(headers.host?.toLowerCase())
    if (host === publicHost || isLoopback(host)) return undefined
    return new Problem(
      'wrong_host',
      `This server does not answer for this name. Its address is ${publicUrl}`,
      {
        address: publicUrl,
      },
    )
  }
}

/** Whether a read names the site with or without `www.`, or with the dot of a whole name (RFC 1034 3.1): it is led on. */
export function isOtherSpelling(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): boolean {
  if (publicUrl === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  const bare = (host: string) => host.replace(/^www\./, '').replace(/\.(?=$|:)/, '')
  return bare(withoutDefaultPort(headers.host?.toLowerCase()) ?? '') === bare(new URL(publicUrl).host)
}

/**
 * Warns once when a change is refused as coming from another site although it may be the site's own: a proxy that does not
 * pass Host on looks like that.
 */
export function hostAdvice(): (
  refused: { origin: string | undefined; host: string | undefined },
  context: { config: Pick<Config, 'publicUrl'>; log: Pick<Log, 'warn'> },
) => void {
  let isSaid = false
  return ({ origin, host }, { config, log }) => {
    if (isSaid || config.publicUrl !== undefined || !origin || !URL.canParse(origin)) return
    isSaid = true
    log.warn(
      `A request from ${new URL(origin).origin} was refused, since this server was asked as ${host ?? 'nobody'}. ` +
        'If that is the address of your site, set PUBLIC_URL to it, and let the proxy pass Host on.',
    )
  }
}

/**
 * The site's origin, for absolute addresses: PUBLIC_URL, else the request's Host header. An invalid host name never gets
 * into a page.
 */
export function siteOrigin({ publicUrl }: Pick<Config, 'publicUrl'>, request: IncomingMessage): string {
  if (publicUrl) return publicUrl
  const host = withoutDefaultPort(request.headers.host) ?? ''
  return `http://${/^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host) ? host : 'localhost'}`
}

/** Origins for which answers are kept, and how often a further one replaces another. */
const most = 4
const replaceMs = 10_000

/**
 * Whether answers that contain this origin are worth keeping. Without PUBLIC_URL the origin is whatever a Host header says,
 * so a caller with invented names could replace all cached answers: a new one is admitted every ten seconds at most.
 */
export function knownOrigins({ now }: Pick<Clock, 'now'>): (origin: string) => boolean {
  const known = new Set<string>()
  let replacedAt = -Infinity
  return (origin) => {
    const isFull = known.size >= most
    if (!known.has(origin)) {
      if (isFull && now().getTime() - replacedAt < replaceMs) return false
      if (isFull) {
        replacedAt = now().getTime()
        known.delete(known.values().next().value!)
      }
    }
    // The one used least recently is the next to go.
    known.delete(origin)
    known.add(origin)
    return true
  }
}

import type { Context } from '../context.ts'
import { addressGroup } from '../machine/network-address.ts'
import type { Http } from './serve.ts'

/**
 * The caller's address, for rate limits. Behind a trusted proxy the last X-Forwarded-For entry, which that proxy
 * wrote; earlier entries can be forged by the caller. IPv6 counts by its /64, which one household shares.
 */
export function callerAddress(http: Http, { config }: Pick<Context, 'config'>): string {
  const forwarded = config.trustProxy
    ? http.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined
  const address = forwarded || http.env.incoming.socket.remoteAddress || 'unknown'
  return addressGroup(address)
}

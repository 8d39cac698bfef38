import { isIPv6 } from 'node:net'
import type { Context } from '../context.ts'
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
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  return isIPv6(plain) ? firstHalf(plain) : plain
}

function firstHalf(address: string): string {
  const [head = '', tail = ''] = address.split('%')[0]!.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const middle = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : []
  return [...left, ...middle, ...right].slice(0, 4).join(':')
}

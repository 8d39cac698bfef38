import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { addressGroup } from '../machine/network-address.ts'
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext, Hono } from 'hono'

export interface Env {
  Bindings: HttpBindings
}
export type App = Hono<Env>
/** One request and its response. */
export type Http = HonoContext<Env>

/** The caller's address, for rate limits. */
export const callerAddress = (http: Http, context: Pick<Context, 'config'>): string =>
  addressOfCaller(http.env.incoming, context)

/**
 * The same of a request that is answered before the framework. Behind a trusted proxy the last X-Forwarded-For entry, which
 * that proxy wrote; earlier entries can be forged by the caller. IPv6 counts by its /64, which one household shares.
 */
export function addressOfCaller(
  { headers, socket }: IncomingMessage,
  { config }: Pick<Context, 'config'>,
): string {
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',')
  const forwarded = config.trustProxy ? entries.split(',').at(-1)?.trim() : undefined
  return addressGroup(forwarded || socket.remoteAddress || 'unknown')
}

/** Aborted when the caller's connection ends before it has its answer. */
export const callerGone = ({ env: { outgoing } }: Http): AbortSignal => receiverGone(outgoing)

/** The same of a request that is answered before the framework. */
export function receiverGone(outgoing: HttpBindings['outgoing']): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  return gone.signal
}

/** The path without percent-encoding; empty, which is no path, if the encoding is broken. */
export function decodedPath(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return ''
  }
}

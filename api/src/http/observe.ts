import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Context } from '../context.ts'
import type { Metrics } from '../machine/metrics.ts'
import { routeLabel } from './route-label.ts'

/** Gives each request an id, counts it by its route, and logs an access line at the level debug. */
export function observe(
  { config, log }: Pick<Context, 'config' | 'log'>,
  metrics: Metrics,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const id = idOf(request, config.trustProxy)
    const pathname = (request.url ?? '/').split('?', 1)[0]!
    if (pathname.startsWith('/api/')) response.setHeader('x-request-id', id)
    const started = performance.now()
    const end = metrics.begin(routeLabel(pathname))
    response.once('close', () => {
      // 499: the caller left before the answer, as nginx notes it.
      const status = response.headersSent ? response.statusCode : 499
      const method = methods.has(request.method ?? '') ? request.method! : 'other'
      end(method, status)
      log.debug(
        { id, method, path: pathname, status, ms: Math.round(performance.now() - started) },
        'request',
      )
    })
    listener(request, response)
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A proxy of ours may have given one already. */
function idOf(request: IncomingMessage, trustProxy: boolean): string {
  const given = trustProxy ? request.headers['x-request-id'] : undefined
  return typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
}

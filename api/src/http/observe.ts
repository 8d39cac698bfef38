import type { RequestListener } from 'node:http'
import type { Context } from '../context.ts'
import type { Metrics } from '../machine/metrics.ts'
import { giveRequestId } from './request-id.ts'
import { routeLabel } from './route-label.ts'

/** Gives each request an id, counts it by its route, and logs an access line at the level debug. */
export function observe(
  { config, log }: Pick<Context, 'config' | 'log'>,
  metrics: Metrics,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const id = giveRequestId(request, response, config.trustProxy)
    const pathname = (request.url ?? '/').split('?', 1)[0]!
    const end = metrics.begin(routeLabel(pathname))
    response.on('close', () => {
      // 499: the caller left before the answer, as nginx notes it.
      const status = response.headersSent ? response.statusCode : 499
      const method = methods.has(request.method ?? '') ? request.method! : 'other'
      const seconds = end(method, status)
      log.debug({ id, method, path: pathname, status, ms: Math.round(seconds * 1000) }, 'request')
    })
    listener(request, response)
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

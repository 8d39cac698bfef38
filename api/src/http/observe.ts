import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { pageLabel } from '@fellowship/schema/routes'
import type { Context } from '../context.ts'
import type { Metrics } from '../machine/metrics.ts'

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

/** On the response itself: a weak map with one entry for each request took a tenth of a small answer's time to collect. */
const key = Symbol('request id')
type Marked = ServerResponse & { [key]?: string }

export const requestIdHeader = 'x-request-id'

/** Gives a request an id, or keeps the one that a trusted proxy gave it. */
function giveRequestId(request: IncomingMessage, response: ServerResponse, trustProxy: boolean): string {
  const given = trustProxy ? request.headers[requestIdHeader] : undefined
  const id = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
  const marked: Marked = response
  marked[key] = id
  return id
}

export const requestIdOf = (response: Marked): string | undefined => response[key]

/** The declared path of an address, such as `/api/elders/:id`: few names, whatever is asked for. */
function routeLabel(pathname: string): string {
  if (pathname.startsWith('/api/')) {
    if (plain.has(pathname)) return pathname
    return patterns.find(({ pattern }) => pattern.test(pathname))?.path ?? '/api/*'
  }
  const folder = /^\/(audio|images|assets|feeds)\//.exec(pathname)?.[1]
  if (folder) return `/${folder}/*`
  return files.has(pathname) ? pathname : (pageLabel(pathname) ?? 'other')
}

const files = new Set(['/feed.xml', '/sitemap.xml', '/robots.txt', '/service-worker.js'])
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)

/** Every declared call, with a pattern of its addresses. */
export const calls = Object.values(contract).flatMap((group) =>
  Object.values<AnyEndpoint>(group).map(({ method, path }) => ({ method, path, pattern: patternOf(path) })),
)

const paths = [...new Set(calls.map(({ path }) => path)), '/api/uploads', '/api/uploads/:id']
const plain = new Set(paths.filter((path) => !path.includes(':')))
const patterns = paths
  .filter((path) => path.includes(':'))
  .map((path) => ({ path, pattern: patternOf(path) }))

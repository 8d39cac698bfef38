import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Context } from '../../context.ts'
import { acceptedEncoding } from '../../http/accepted-encoding.ts'
import { asProblem } from '../../http/on-error.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

/** Mounts the calls, and returns what answers the list on the raw request, before the framework. */
export function mountTeachings(app: App, context: Context): RequestListener {
  const current = catalogue(context)
  const common = securityHeaders(context.config)
  const listHeaders = Object.entries({
    ...common,
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  }).flat()

  serve(app, context, teachings.search, async ({ query }) => (await current()).index().search(query.q))

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, actor, { baseRev, key })
    return { success: true as const, rev }
  })

  return (request, response) => {
    answerList(request, response, current, listHeaders).catch((error: unknown) => {
      const problem = asProblem(error, context)
      const { retryAfter } = problem.extra
      if (typeof retryAfter === 'number') response.setHeader('retry-after', retryAfter)
      response.writeHead(problem.status, {
        ...common,
        'content-type': jsonType,
        'cache-control': 'no-store',
      })
      response.end(JSON.stringify(problem.toBody()))
    })
  }
}

/** Whether a request is for the list: that one is asked for most, and is the largest. */
export const isListRequest = ({ method }: IncomingMessage, pathname: string): boolean =>
  pathname === teachings.list.path && (method === 'GET' || method === 'HEAD')

const jsonType = 'application/json; charset=utf-8'

async function answerList(
  request: IncomingMessage,
  response: ServerResponse,
  current: () => Promise<Catalogue>,
  common: readonly string[],
): Promise<void> {
  const list = await current()
  const encoding = acceptedEncoding(request.headers['accept-encoding'], ['br', 'gzip'])
  // Each coding is a representation of its own, so each has a tag of its own (RFC 9110 8.8.3).
  const etag = `"${list.etag}${encoding ? `-${encoding}` : ''}"`
  const headers = [...common, 'etag', etag]
  const known = request.headers['if-none-match']
  if (known !== undefined && known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
    response.writeHead(304, headers).end()
    return
  }
  const { plain, brotli, gzip } = list.body
  const body = encoding === 'br' ? await brotli() : encoding === 'gzip' ? await gzip() : plain
  response.writeHead(200, [
    ...headers,
    'content-type',
    jsonType,
    'content-length',
    String(body.length),
    ...(encoding ? ['content-encoding', encoding] : []),
  ])
  response.end(request.method === 'HEAD' ? undefined : body)
}

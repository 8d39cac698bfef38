import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Context } from '../../context.ts'
import { acceptedEncoding } from '../../http/accepted-encoding.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

export function mountTeachings(app: App, context: Context): void {
  const current = catalogue(context)

  const headers = securityHeaders(context.config)

  serve(app, context, teachings.list, async ({ http, session }) => {
    const renewed = session?.renewed
    return answerList(http.env, await current(), renewed ? { ...headers, 'set-cookie': renewed } : headers)
  })

  serve(app, context, teachings.search, async ({ query }) => (await current()).index().search(query.q))

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, { baseRev, key })
    return { success: true as const, rev }
  })
}

/** Straight to the socket: as a web response the same bytes would travel through a stream. */
async function answerList(
  { incoming, outgoing }: HttpBindings,
  list: Catalogue,
  common: Record<string, string>,
): Promise<Response> {
  const encoding = acceptedEncoding(incoming.headers['accept-encoding'], ['br', 'gzip'])
  // Each coding is a representation of its own, so each has a tag of its own (RFC 9110 8.8.3).
  const etag = `"${list.etag}${encoding ? `-${encoding}` : ''}"`
  const headers = { ...common, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }
  const known = incoming.headers['if-none-match']?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
    outgoing.writeHead(304, headers).end()
    return RESPONSE_ALREADY_SENT
  }
  const body = encoding === 'br' ? await list.brotli() : encoding === 'gzip' ? await list.gzip() : list.plain
  outgoing.writeHead(200, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...(encoding && { 'content-encoding': encoding }),
  })
  outgoing.end(body)
  return RESPONSE_ALREADY_SENT
}

import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Context } from '../../context.ts'
import { acceptedEncoding } from '../../http/accepted-encoding.ts'
import { serve, type App, type Http } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

export function mountTeachings(app: App, context: Context): void {
  const current = catalogue(context)

  serve(app, context, teachings.list, async ({ http }) => answerList(http, await current()))

  serve(app, context, teachings.search, async ({ query }) => (await current()).index().search(query.q))

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, { baseRev, key })
    return { success: true as const, rev }
  })
}

async function answerList(http: Http, list: Catalogue): Promise<Response> {
  const encoding = acceptedEncoding(http.req.header('accept-encoding'), ['br', 'gzip'])
  // Each coding is a representation of its own, so each has a tag of its own (RFC 9110 8.8.3).
  const etag = `"${list.etag}${encoding ? `-${encoding}` : ''}"`
  const headers = { etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }
  const known = http.req.header('if-none-match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return http.body(null, 304, headers)
  const body = encoding === 'br' ? await list.brotli() : encoding === 'gzip' ? await list.gzip() : list.plain
  return http.body(body as Uint8Array<ArrayBuffer>, 200, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    ...(encoding && { 'content-encoding': encoding }),
  })
}

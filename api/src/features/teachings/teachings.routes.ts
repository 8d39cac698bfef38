import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Context } from '../../context.ts'
import { rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

/** Mounts the calls; returns the route of the list, the largest answer and the one requested most. */
export function mountTeachings(app: App, context: Context): RawRoute {
  const current = catalogue(context)

  serve(app, context, teachings.search, async ({ query }) => (await current()).index().search(query.q))

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, actor, { baseRev, key })
    return { success: true as const, rev }
  })

  return listRoute(context, current)
}

function listRoute(context: Context, current: () => Promise<Catalogue>): RawRoute {
  const failureHeaders = securityHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': 'no-cache' }).flat()
  return rawRoute(context, {
    // Other methods of this path are calls that the framework routes.
    matches: ({ method }, pathname) =>
      pathname === teachings.list.path && (method === 'GET' || method === 'HEAD'),
    failureHeaders,
    async send(request, response) {
      const { etag: tag, body } = await current()
      return sendBody(request, response, {
        headers,
        type: 'application/json; charset=utf-8',
        tag,
        codings: ['br', 'gzip'],
        encode: (coding) => (coding === 'br' ? body.brotli() : coding === 'gzip' ? body.gzip() : body.plain),
      })
    },
  })
}

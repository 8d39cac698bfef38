import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { searchRate } from '@fellowship/schema/teachings/teachings.limits'
import type { Context } from '../../context.ts'
import { acceptedEncoding } from '../../http/accepted-encoding.ts'
import { callerAddress } from '../../http/address.ts'
import { rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { sharedForAMinute } from '../../http/edge-cache.ts'
import { rateLimit } from '../../http/rate-limit.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

/** Mounts the calls; returns the route of the list, the largest answer and the one requested most. */
export function mountTeachings(app: App, context: Context): RawRoute {
  const current = catalogue(context)

  const searches = rateLimit(context.clock, searchRate)
  serve(app, context, teachings.search, async ({ query, http }) => {
    const { search } = await current()
    const { plain, brotli, gzip } = await search(query.q.trim(), () =>
      searches.take(callerAddress(http, context)),
    )
    const coding = acceptedEncoding(http.req.header('accept-encoding'), ['br', 'gzip'])
    const body = coding === 'br' ? await brotli() : coding === 'gzip' ? await gzip() : plain
    return http.body(body as Uint8Array<ArrayBuffer>, 200, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept-encoding',
      ...(coding && { 'content-encoding': coding }),
    })
  })

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev, uid } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, actor, { baseRev, uid, key })
    return { success: true as const, rev }
  })

  return listRoute(context, current)
}

function listRoute(context: Context, current: () => Promise<Catalogue>): RawRoute {
  const failureHeaders = securityHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': sharedForAMinute }).flat()
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

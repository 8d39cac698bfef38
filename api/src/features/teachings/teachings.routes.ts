import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { searchRate } from '@fellowship/schema/teachings/teachings.limits'
import type { Context } from '../../context.ts'
import type { ContentCoding } from '../../http/accepted-encoding.ts'
import { addressOfCaller } from '../../http/address.ts'
import type { CompressedBody } from '../../http/compressed-body.ts'
import { rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { sharedForAMinute } from '../../http/edge-cache.ts'
import { parseInput } from '../../http/input.ts'
import { rateLimit } from '../../http/rate-limit.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App } from '../../http/serve.ts'
import { catalogue, type Catalogue } from './catalogue.ts'
import { mutationKey, removeTeaching } from './teachings.ts'

/** Mounts the calls; returns the routes of the list and of the search, the largest answers and the ones requested most. */
export function mountTeachings(app: App, context: Context): RawRoute[] {
  const current = catalogue(context)

  serve(app, context, teachings.remove, async ({ params, query, actor, http }) => {
    const { baseRev, uid } = query
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete', params.id, baseRev])
    const { rev } = await removeTeaching(context, params.id, actor, { baseRev, uid, key })
    return { success: true as const, rev }
  })

  return [listRoute(context, current), searchRoute(context, current)]
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
        encode: (coding) => inCoding(body, coding),
      })
    },
  })
}

function searchRoute(context: Context, current: () => Promise<Catalogue>): RawRoute {
  const searches = rateLimit(context.clock, searchRate)
  const failureHeaders = securityHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': 'no-cache' }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => pathname === teachings.search.path,
    failureHeaders,
    async send(request, response) {
      const asked = new URLSearchParams(request.url!.split('?')[1])
      const { q } = parseInput(teachings.search.query, Object.fromEntries(asked))
      const { search } = await current()
      const answer = await search(q.trim(), () => searches.take(addressOfCaller(request, context)))
      return sendBody(request, response, {
        headers,
        type: 'application/json; charset=utf-8',
        tag: answer.etag,
        codings: ['br', 'gzip'],
        encode: (coding) => inCoding(answer, coding),
      })
    },
  })
}

const inCoding = (body: CompressedBody, coding: ContentCoding | undefined) =>
  coding === 'br' ? body.brotli() : coding === 'gzip' ? body.gzip() : body.plain

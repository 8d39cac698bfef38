import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { searchRate } from '@fellowship/schema/teachings/teachings.limits'
import type { Context } from '../../context.ts'
import { addressOfCaller } from '../../http/address.ts'
import type { RawRoute } from '../../http/deliver.ts'
import { sharedForAMinute } from '../../http/edge-cache.ts'
import { parseInput } from '../../http/input.ts'
import { keptRoute } from '../../http/kept-json.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { serve, type App } from '../../http/serve.ts'
import { restoreTeaching } from './bin.ts'
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

  serve(app, context, teachings.undoRemove, ({ params, actor }) =>
    restoreTeaching(context, params.id, actor, { own: true }),
  )

  const list = async () => (await current()).list
  return [
    keptRoute(context, teachings.list, list, { cacheControl: sharedForAMinute }),
    searchRoute(context, current),
  ]
}

function searchRoute(context: Context, current: () => Promise<Catalogue>): RawRoute {
  const searches = memoryLimiter(context.clock, searchRate)
  return keptRoute(context, teachings.search, async (request) => {
    const asked = new URLSearchParams(request.url!.split('?')[1])
    const { q } = parseInput(teachings.search.query, Object.fromEntries(asked))
    const { search } = await current()
    return search(q.trim(), () => searches.take(addressOfCaller(request, context)))
  })
}

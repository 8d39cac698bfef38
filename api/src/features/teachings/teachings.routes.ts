import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import { type TeachingIndex, teachingIndexInSteps } from '@fellowship/schema/teachings/teaching-search'
import { searchRate, searchResults } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { addressOfCaller } from '../../http/caller.ts'
import { sharedForAMinute, type RawRoute, keptJson, type KeptJson, keptRoute } from '../../http/deliver.ts'
import { parseInput } from '../../http/input.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { type App, serve } from '../../http/serve.ts'
import { RecentMap } from '../../machine/caches.ts'
import type { SpokenLibrary } from '../spoken-search/spoken-search.ts'
import { listBin, restoreTeaching } from './bin.ts'
import { liveTeachings, mutationKey, removeTeaching } from './teachings.ts'

/** Mounts the calls; returns the routes of the list and of the search, the largest answers and the ones requested most. */
export function mountTeachings(app: App, context: Context, spoken: () => Promise<SpokenLibrary>): RawRoute[] {
  const current = catalogue(context, spoken)

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

export function mountBin(app: App, context: Context): void {
  serve(app, context, bin.list, () => listBin(context))
  serve(app, context, bin.restore, ({ params, actor }) => restoreTeaching(context, params.id, actor))
}

/** The list of teachings at one revision: its encoded bodies and its search index. */
interface Catalogue {
  readonly list: KeptJson
  /**
   * The answer to a search, cached for the revision.
   *
   * @param onSearch called before an uncached search; if it throws, the request is refused
   */
  readonly search: (query: string, onSearch: () => void) => Promise<KeptJson>
}

/** Cached answers to searches. */
const searchesKept = 64

/** The catalogue at the present revision. */
const catalogue = (
  context: Pick<Context, 'sql' | 'changes'>,
  spoken: () => Promise<SpokenLibrary>,
): (() => Promise<Catalogue>) =>
  keptByRevision(context, () => liveTeachings(context.sql).then((rows) => build(rows, spoken)))

function build(rows: Teaching[], spoken: () => Promise<SpokenLibrary>): Catalogue {
  const answers = new RecentMap<Promise<KeptJson>>(searchesKept)
  let index: Promise<TeachingIndex<Teaching>> | undefined
  return {
    list: keptJson(rows),
    search(query, onSearch) {
      const known = answers.get(query)
      if (known) return known
      onSearch()
      index ??= inTurns(teachingIndexInSteps(rows))
      const answer = index.then(async (made) => {
        const found = made.search(query, { limit: searchResults })
        const said = query === '' ? [] : await soon(spoken().then((library) => library.uids(query)))
        // The next search may have them.
        if (!said) answers.delete(query)
        return keptJson(withSaid(found, said ?? [], rows), { best: false })
      })
      answers.set(query, answer)
      return answer
    },
  }
}

/**
 * What the other search finds within a second: right after many texts were approved at once, its index takes longer. Undefined
 * otherwise, also if it failed: the library's own matches do not depend on it.
 */
const soon = <Value>(work: Promise<Value>): Promise<Value | undefined> =>
  Promise.race([work.catch(() => undefined), delay(1_000, undefined, { ref: false })])

/** The matches, and after them the teachings in which the words were said. */
function withSaid(found: Teaching[], said: readonly string[], rows: readonly Teaching[]): Teaching[] {
  if (said.length === 0) return found
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return [...new Set([...found, ...said.flatMap((uid) => byUid.get(uid) ?? [])])].slice(0, searchResults)
}

/** Runs the steps with turns of the event loop between them, so that other requests are answered meanwhile. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}

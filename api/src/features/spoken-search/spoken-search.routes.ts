import { Problem } from '@fellowship/schema/problem'
import { spokenSearch } from '@fellowship/schema/spoken-search/spoken-search.contract'
import { saidRate, textRate } from '@fellowship/schema/spoken-search/spoken-search.limits'
import { spokenTexts } from '@fellowship/schema/spoken-search/spoken-search.texts'
import type { Context } from '../../context.ts'
import { addressOfCaller } from '../../http/caller.ts'
import { keptJson, keptRoute, sharedForAMinute, type KeptJson, type RawRoute } from '../../http/deliver.ts'
import { parseInput } from '../../http/input.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { RecentMap } from '../../machine/caches.ts'
import type { SpokenLibrary } from './spoken-search.ts'

/** The routes of the index, and of the search in it. */
export function spokenRoutes(context: Context, library: () => Promise<SpokenLibrary>): RawRoute[] {
  const texts = memoryLimiter(context.clock, textRate)
  return [
    keptRoute(context, spokenSearch.list, async () => (await library()).list, {
      cacheControl: sharedForAMinute,
    }),
    keptRoute(
      context,
      spokenSearch.pack,
      async (request) => {
        const { id } = parseInput(spokenSearch.pack.params, { id: lastPart(request.url) })
        return known((await library()).pack(id))
      },
      { cacheControl: forEver },
    ),
    keptRoute(
      context,
      spokenSearch.dictionary,
      async (request) => {
        const { from } = parseInput(spokenSearch.dictionary.query, queryOf(request.url))
        const { id } = parseInput(spokenSearch.dictionary.params, { id: lastPart(request.url) })
        return known((await library()).dictionary(id, from))
      },
      { cacheControl: forEver },
    ),
    keptRoute(context, spokenSearch.sentences, async (request) => {
      const { uid } = parseInput(spokenSearch.sentences.params, { uid: lastPart(request.url) })
      texts.take(addressOfCaller(request, context))
      return known(await (await library()).sentences(uid), spokenTexts.noText)
    }),
    saidRoute(context, library),
  ]
}

/** Not in shared caches: a text that is withdrawn should be gone from there too. */
const forEver = 'private, max-age=31536000, immutable'

/** Cached answers to searches. */
const searchesKept = 64

function saidRoute(context: Context, library: () => Promise<SpokenLibrary>): RawRoute {
  const searches = memoryLimiter(context.clock, saidRate)
  let answers = {
    of: undefined as SpokenLibrary | undefined,
    by: new RecentMap<Promise<KeptJson>>(searchesKept),
  }
  return keptRoute(context, spokenSearch.said, async (request) => {
    const q = parseInput(spokenSearch.said.query, queryOf(request.url)).q.trim()
    const current = await library()
    if (answers.of !== current) answers = { of: current, by: new RecentMap(searchesKept) }
    const { by } = answers
    const found = by.get(q)
    if (found) return found
    searches.take(addressOfCaller(request, context))
    const answer = current.said(q).then((said) => keptJson(said, { best: false }))
    by.set(q, answer)
    answer.catch(() => by.delete(q))
    return answer
  })
}

function known(answer: KeptJson | undefined, sentence: string = spokenTexts.outdated): KeptJson {
  if (!answer) throw new Problem('not_found', sentence)
  return answer
}

const lastPart = (url = '') => url.split('?', 1)[0]!.split('/').at(-1)!
const queryOf = (url = '') => Object.fromEntries(new URLSearchParams(url.split('?')[1]))

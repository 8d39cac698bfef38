import { setImmediate } from 'node:timers/promises'
import { searchResults } from '@fellowship/schema/teachings/teachings.limits'
import { teachingIndexInSteps, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { keptJson, type KeptJson } from '../../http/kept-json.ts'
import { liveTeachings } from './teachings.sql.ts'

/** The list of teachings at one revision: its encoded bodies and its search index. */
export interface Catalogue {
  readonly list: KeptJson
  /**
   * The answer to a search, kept for the revision.
   *
   * @param onSearch called before a search that is not kept; an error it throws refuses the request
   */
  readonly search: (query: string, onSearch: () => void) => Promise<KeptJson>
}

/** Answers to searches that are kept. */
const searchesKept = 64

/** The catalogue at the present revision. */
export const catalogue = (context: Pick<Context, 'sql' | 'changes'>): (() => Promise<Catalogue>) =>
  keptByRevision(context, () => liveTeachings(context.sql).then(build))

function build(rows: Teaching[]): Catalogue {
  const answers = new Map<string, Promise<KeptJson>>()
  let index: Promise<TeachingIndex<Teaching>> | undefined
  return {
    list: keptJson(rows),
    search(query, onSearch) {
      const known = answers.get(query)
      if (known) return known
      onSearch()
      index ??= inTurns(teachingIndexInSteps(rows))
      const answer = index.then((made) =>
        keptJson(made.search(query, { limit: searchResults }), { best: false }),
      )
      if (answers.size >= searchesKept) answers.delete(answers.keys().next().value!)
      answers.set(query, answer)
      return answer
    },
  }
}

/** Runs the steps with turns of the event loop between them, so that other requests are answered meanwhile. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { searchResults } from '@fellowship/schema/teachings/teachings.limits'
import { teachingIndexInSteps, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { compressedBody, type CompressedBody } from '../../http/compressed-body.ts'
import { liveTeachings } from './teachings.sql.ts'
import { coalesced, burstLimits, burstCache } from './shared-reads.ts'

/** The list of teachings at one revision: its encoded bodies and its search index. */
export interface Catalogue {
  readonly etag: string
  readonly body: CompressedBody
  /**
   * The answer to a search, kept for the revision.
   *
   * @param onSearch called before a search that is not kept; an error it throws refuses the request
   */
  readonly search: (query: string, onSearch: () => void) => Promise<SearchAnswer>
}

/** The results of a search as JSON, with their entity tag. */
type SearchAnswer = CompressedBody & { readonly etag: string }

/** Answers to searches that are kept. */
const searchesKept = 64

/**
 * Caches the list by database revision. Every request reads the revision first, so that the next answer after a write
 * of any process is the new list. Only in a burst do requests within a few milliseconds, less than their network
 * latency, share one read.
 */
export function catalogue({ sql, changes }: Pick<Context, 'sql' | 'changes'>): () => Promise<Catalogue> {
  let cached: { key: string; list: Promise<Catalogue> } | undefined
  const burst = burstCache(burstLimits)
  changes.listen(burst.clear)
  const currentKey = burst.wrap(
    coalesced(async () => {
      const [clock] = await sql<{ key: string }[]>`select epoch || '.' || rev as key from sync_clock`
      return clock!.key
    }),
  )
  return async () => {
    const key = await currentKey()
    if (cached?.key !== key) {
      const list = liveTeachings(sql).then(build)
      cached = { key, list }
      list.catch(() => {
        if (cached?.list === list) cached = undefined
      })
    }
    return cached!.list
  }
}

function build(rows: Teaching[]): Catalogue {
  const plain = Buffer.from(JSON.stringify(rows))
  const answers = new Map<string, Promise<SearchAnswer>>()
  let index: Promise<TeachingIndex<Teaching>> | undefined
  return {
    etag: tagOf(plain),
    body: compressedBody(plain),
    search(query, onSearch) {
      const known = answers.get(query)
      if (known) return known
      onSearch()
      index ??= inTurns(teachingIndexInSteps(rows))
      const answer = index.then((made) => {
        const found = Buffer.from(JSON.stringify(made.search(query, { limit: searchResults })))
        return { ...compressedBody(found, { best: false }), etag: tagOf(found) }
      })
      if (answers.size >= searchesKept) answers.delete(answers.keys().next().value!)
      answers.set(query, answer)
      return answer
    },
  }
}

const tagOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url').slice(0, 27)

/** Runs the steps with turns of the event loop between them, so that other requests are answered meanwhile. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}

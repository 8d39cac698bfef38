import type { Context } from '../context.ts'
import { madeForKey } from '../machine/caches.ts'
import type { Database } from './connection.ts'

/**
 * Makes a value once per revision of the synced tables. Every request reads the revision first, so that the next answer
 * after a write of any process is the new one. Only in a burst do requests within a few milliseconds, less than their network
 * latency, share one read.
 */
export function keptByRevision<Value>(
  { sql, changes }: Pick<Context, 'sql' | 'changes'>,
  make: () => Promise<Value>,
): () => Promise<Value> {
  const kept = madeForKey<Value>()
  const burst = burstCache(burstLimits)
  changes.listen(burst.clear)
  const currentKey = burst.wrap(coalesced(() => readRevision(sql)))
  return async () => kept(await currentKey(), make)
}

/** The revision of the synced tables. */
export async function readRevision(sql: Database): Promise<string> {
  const [row] = await sql<{ key: string }[]>`select epoch || '.' || rev as key from sync_clock`
  return row!.key
}

/** Lets concurrent callers share one read that started after they called, so that no answer is older than its call. */
function coalesced<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = () => {
    next = undefined
    const reading = read()
    running = reading
    const end = () => {
      if (running === reading) running = undefined
    }
    reading.then(end, end)
    return reading
  }
  return () => (running ? (next ??= running.then(start, start)) : start())
}

/** More than so many calls within so many milliseconds are a burst. */
const burstLimits = { ms: 5, calls: 8 }

/** Lets the calls of a burst share an earlier answer of the same burst; all others read anew. */
function burstCache({ ms, calls }: typeof burstLimits) {
  let since = -Infinity
  let count = 0
  let known: string | undefined
  const clear = () => {
    since = -Infinity
    known = undefined
  }
  return {
    clear,
    wrap: (read: () => Promise<string>) => async (): Promise<string> => {
      const now = performance.now()
      if (now - since > ms) {
        since = now
        count = 0
        known = undefined
      }
      count += 1
      if (known !== undefined && count > calls) return known
      const startedIn = since
      const answer = await read()
      // An answer that was read before a change must not outlive it.
      if (since === startedIn) known = answer
      return answer
    },
  }
}

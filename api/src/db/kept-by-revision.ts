import type { Context } from '../context.ts'
import { readRevision } from './revision.sql.ts'
import { burstCache, burstLimits, coalesced } from './shared-reads.ts'

/**
 * Makes a value once per revision of the synced tables. Every request reads the revision first, so that the next answer
 * after a write of any process is the new one. Only in a burst do requests within a few milliseconds, less than their network
 * latency, share one read.
 */
export function keptByRevision<Value>(
  { sql, changes }: Pick<Context, 'sql' | 'changes'>,
  make: () => Promise<Value>,
): () => Promise<Value> {
  let kept: { key: string; value: Promise<Value> } | undefined
  const burst = burstCache(burstLimits)
  changes.listen(burst.clear)
  const currentKey = burst.wrap(coalesced(() => readRevision(sql)))
  return async () => {
    const key = await currentKey()
    if (kept?.key !== key) {
      const value = make()
      kept = { key, value }
      value.catch(() => {
        if (kept?.value === value) kept = undefined
      })
    }
    return kept!.value
  }
}

import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits for work, but no longer than so many milliseconds: a query never settles where its connection was lost at a bad
 * moment, and what is to end must end all the same.
 *
 * @throws what the work throws until then
 */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    over.abort()
  }
}

import type { DeviceDatabase } from '../database/device-database.ts'

/**
 * Leader lock: runs `work` while this tab holds the lock; when the tab that does is closed, the next one gets it. Where
 * the browser has no locks, or the tabs do not share the database because it is in memory, every tab leads at once.
 *
 * @param db what the tabs work on
 * @returns ends the work, by its signal
 */
export function withLeaderLock(
  lock: string,
  db: DeviceDatabase,
  work: (signal: AbortSignal) => Promise<void>,
): () => void {
  const over = new AbortController()
  const run = () => work(over.signal)
  const begin = async () => {
    const inMemory = await db.isInMemory().catch(() => false)
    if (over.signal.aborted) return
    if (inMemory || typeof navigator.locks === 'undefined') await run()
    else await navigator.locks.request(lock, { signal: over.signal }, run)
  }
  begin().catch(() => {})
  return () => over.abort()
}

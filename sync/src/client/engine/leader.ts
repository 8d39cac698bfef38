/**
 * Runs `work` while this tab is the one that holds the lock; when the one that does is closed, the next goes on. Where
 * the browser has no locks, at once.
 *
 * @returns ends it, by the signal
 */
export function withLeaderLock(lock: string, work: (signal: AbortSignal) => Promise<void>): () => void {
  const over = new AbortController()
  const run = () => work(over.signal)
  if (typeof navigator.locks === 'undefined') void run()
  else navigator.locks.request(lock, { signal: over.signal }, run).catch(() => {})
  return () => over.abort()
}

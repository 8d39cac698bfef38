/**
 * A page of the last build asks for a file that is gone: one reload brings the new build. Only one in a while, so
 * that a file that is missing for good shows its error instead of reloading for ever.
 */
export function reloadOnStaleBuild({
  now = () => Date.now(),
  reload = () => location.reload(),
  storage = sessionStorage,
}: {
  now?: () => number
  reload?: () => void
  storage?: Pick<Storage, 'getItem' | 'setItem'>
} = {}): () => void {
  return () => {
    try {
      const last = Number(storage.getItem(key) ?? 0)
      // Without a line it is not the build that is missing.
      if (now() - last < guardMs || !navigator.onLine) return
      storage.setItem(key, String(now()))
    } catch {
      return
    }
    reload()
  }
}

const key = 'reloaded-for-build'
const guardMs = 5 * 60_000

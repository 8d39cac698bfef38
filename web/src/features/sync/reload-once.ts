/**
 * A page of the last build asks for a file that is gone: one reload brings the new build. Only one in a while, so
 * that a file that is missing for good shows its error instead of reloading for ever; and only where the server
 * answers, because without a line it is not the build that is missing.
 */
export function reloadOnStaleBuild({
  now = () => Date.now(),
  reload = () => location.reload(),
  storage = sessionStorage,
}: {
  now?: () => number
  reload?: () => void
  storage?: Pick<Storage, 'getItem' | 'setItem'>
} = {}): () => Promise<void> {
  return async () => {
    try {
      if (now() - Number(storage.getItem(key) ?? 0) < guardMs) return
      // The one file of a build that no worker keeps.
      const { ok } = await fetch('/service-worker.js', { method: 'HEAD', cache: 'no-store' })
      if (!ok) return
      storage.setItem(key, String(now()))
    } catch {
      return
    }
    reload()
  }
}

const key = 'reloaded-for-build'
const guardMs = 5 * 60_000

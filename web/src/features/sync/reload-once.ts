import { isMissingPart } from '../../lib/missing-part.ts'

/**
 * A page of the last build asks for a file that is gone: one reload brings the new build. Only one in a while, so
 * that a file that is missing for good shows its error instead of reloading for ever; and only where the server
 * answers, because without a line it is not the build that is missing. Where the browser refuses site data there is no
 * reload: nothing would remember that there was one.
 */
export function reloadOnStaleBuild({
  now = () => Date.now(),
  reload = () => location.reload(),
  storage = () => sessionStorage,
}: {
  now?: () => number
  reload?: () => void
  /** Throws where the browser refuses site data. */
  storage?: () => Pick<Storage, 'getItem' | 'setItem'>
} = {}): (error: unknown) => Promise<void> {
  return async (error) => {
    // Vite's event also reports whatever fails in `import(…).then(…)` after the part came, such as a device without room,
    // which no reload mends.
    if (!isMissingPart(error)) return
    try {
      if (now() - Number(storage().getItem(key) ?? 0) < guardMs) return
      // The one file of a build that the service worker never caches.
      const { ok } = await fetch('/service-worker.js', { method: 'HEAD', cache: 'no-store' })
      if (!ok) return
      storage().setItem(key, String(now()))
    } catch {
      return
    }
    reload()
  }
}

const key = 'reloaded-for-build'
const guardMs = 5 * 60_000

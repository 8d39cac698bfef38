import { isMissingPart } from '../../lib/missing-part.ts'

/**
 * A page of an earlier build asks for a file that is gone: one reload brings the new build. Only one in a while, so that a
 * file that is missing for good shows its error instead of reloading for ever. Only where the server says that the build
 * is gone: files also fail to load without a connection, behind a portal, and in Firefox on a page that is being left, whose
 * navigation a reload would stop. Where the browser refuses site data there is no reload: nothing would remember that there was one.
 */
export function reloadOnStaleBuild({
  now = () => Date.now(),
  reload = () => location.reload(),
  storage = () => sessionStorage,
  ownFile = import.meta.url,
}: {
  now?: () => number
  reload?: () => void
  /** Throws where the browser refuses site data. */
  storage?: () => Pick<Storage, 'getItem' | 'setItem'>
  /** Address of a file that only this build has: the names of all its parts are in it, and change its own. */
  ownFile?: string
} = {}): (error: unknown) => Promise<void> {
  return async (error) => {
    // Vite's event also reports whatever fails in `import(…).then(…)` after the part came, such as a device without room,
    // which no reload mends.
    if (!isMissingPart(error)) return
    try {
      if (now() - Number(storage().getItem(key) ?? 0) < guardMs) return
      // The service worker answers no HEAD.
      const { status } = await fetch(ownFile, { method: 'HEAD', cache: 'no-store' })
      if (status !== 404) return
      storage().setItem(key, String(now()))
    } catch {
      return
    }
    reload()
  }
}

const key = 'reloaded-for-build'
const guardMs = 5 * 60_000

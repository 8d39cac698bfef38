import { isMissingPart } from '../../lib/missing-part.ts'

/**
 * If a page of an earlier build requests a file that is gone, one reload loads the new build. It reloads at most once in a
 * while, so that a permanently missing file shows its error instead of a reload loop. It reloads only if the server answers
 * 404 for the build: files also fail to load offline, behind a portal, and in Firefox on a page that is being left, whose
 * navigation a reload would cancel. If the browser refuses site data there is no reload, because the page could not store
 * that it reloaded.
 */
export function reloadOnStaleBuild({
  now = () => Date.now(),
  reload = () => location.reload(),
  storage = () => sessionStorage,
  ownFile = import.meta.url,
}: {
  now?: () => number
  reload?: () => void
  /** Throws if the browser refuses site data. */
  storage?: () => Pick<Storage, 'getItem' | 'setItem'>
  /**
   * Address of a file that only this build has: it contains the names of all other chunks, so its own name changes with
   * them.
   */
  ownFile?: string
} = {}): (error: unknown) => Promise<void> {
  return async (error) => {
    // Vite's event also reports any error in `import(…).then(…)` after the chunk was loaded, such as a full disk, which a
    // reload does not fix.
    if (!isMissingPart(error)) return
    try {
      if (now() - Number(storage().getItem(key) ?? 0) < guardMs) return
      // The service worker does not handle HEAD, so the server answers.
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

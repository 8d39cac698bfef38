import { prerenderedPaths } from '@fellowship/schema/pages/prerender-data'

/** The browser's part of the cache; a test passes its own. */
export interface PrerenderedPagesDeps {
  readonly caches: Pick<CacheStorage, 'open' | 'delete' | 'keys'>
  readonly fetch: (path: string) => Promise<Response>
  /** The build whose files are precached. */
  readonly build: string
  /** Whether a file is one of that build's. */
  readonly hasFile: (address: string) => boolean
  /** Whether the library begins with saved recordings, which no server can render. */
  readonly savedFirst: () => Promise<boolean>
}

/** A cache of the public pages as the server rendered them, so that an offline start shows rows at once. */
export interface PrerenderedPages {
  /** The cached page for a navigation; undefined if there is none. */
  answer(url: URL): Promise<Response | undefined>
  /**
   * Caches the pages of this state. Those of another state are deleted at once, whether or not the server answers.
   *
   * @param state every input of the look of the pages; null if none may be cached
   */
  keep(state: string | null): Promise<void>
  /** Deletes the pages of earlier builds, whose files are gone. */
  dropOthers(): Promise<void>
}

const prefix = 'drawn-pages-'
/** The cache stores the state of its pages under this address, which no page has. */
export const stateAddress = '/drawn-pages-state'

/** Caches only complete pages, rendered for a visitor, of the precached build: all their files are there. */
export function prerenderedPages({
  caches,
  fetch,
  build,
  hasFile,
  savedFirst,
}: PrerenderedPagesDeps): PrerenderedPages {
  const name = prefix + build
  let turn = Promise.resolve()

  async function cacheNow(state: string | null): Promise<void> {
    const before = await caches.open(name)
    if (state !== null && (await (await before.match(stateAddress))?.text()) === state) return
    await caches.delete(name)
    if (state === null) return
    const pages = await Promise.all(
      prerenderedPaths.map(async (path) => [path, await fetchPage(path)] as const),
    )
    const now = await caches.open(name)
    for (const [path, page] of pages) await now.put(path, page)
    // Last, so that an interruption starts again the next time.
    await now.put(stateAddress, new Response(state))
  }

  async function fetchPage(path: string): Promise<Response> {
    const page = await fetch(path)
    const html = await page.clone().text()
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!)
    if (page.status !== 200 || !html.includes('data-first=""'))
      throw new Error(`${path} came without its rows`)
    // Only the page's own JSON can contain this: quotation marks in texts are escaped.
    if (!html.includes('"visitor":true')) throw new Error(`${path} was rendered for a signed-in user`)
    if (!files.every(hasFile)) throw new Error(`${path} is of another build`)
    return page
  }

  return {
    async answer({ pathname, search }) {
      if (search !== '' || !prerenderedPaths.includes(pathname)) return undefined
      if (pathname === '/teaching' && (await savedFirst())) return undefined
      const pages = await caches.open(name)
      return pages.match(pathname, { ignoreVary: true })
    },
    keep(state) {
      turn = turn.then(() => cacheNow(state)).catch(() => undefined)
      return turn
    },
    async dropOthers() {
      for (const other of await caches.keys())
        if (other.startsWith(prefix) && other !== name) await caches.delete(other)
    },
  }
}

import { firstHtmlPaths } from '@fellowship/schema/pages/prerender-data'

/** What of the browser the kept pages stand on; a test hands in its own. */
export interface PrerenderedPagesDeps {
  readonly caches: Pick<CacheStorage, 'open' | 'delete' | 'keys'>
  readonly fetch: (path: string) => Promise<Response>
  /** Names the build whose files are on the device. */
  readonly build: string
  /** Whether a file is one of that build's. */
  readonly hasFile: (address: string) => boolean
  /** Whether the library begins with what is saved on the device, which no server can draw. */
  readonly savedFirst: () => Promise<boolean>
}

/** The public pages as the server drew them, kept so that a start without a line shows its rows at once. */
export interface PrerenderedPages {
  /** The kept page for a navigation; undefined where there is none. */
  answer(url: URL): Promise<Response | undefined>
  /**
   * Sees to it that the pages kept are those of this state: what was kept of another one is gone at once, whether or
   * not the server can be asked.
   *
   * @param state whatever decides how the pages look; null where none may be kept
   */
  keep(state: string | null): Promise<void>
  /** Drops what earlier builds kept: their pages ask for files that are gone. */
  dropOthers(): Promise<void>
}

const prefix = 'drawn-pages-'
/** Under this address, which no page has, stands the state that the pages were drawn in. */
export const stateAddress = '/drawn-pages-state'

/** A page is taken only whole, drawn for a visitor, and of the build on the device: what it asks for is there. */
export function prerenderedPages({
  caches,
  fetch,
  build,
  hasFile,
  savedFirst,
}: PrerenderedPagesDeps): PrerenderedPages {
  const name = prefix + build
  let turn = Promise.resolve()

  async function keepNow(state: string | null): Promise<void> {
    const before = await caches.open(name)
    if (state !== null && (await (await before.match(stateAddress))?.text()) === state) return
    await caches.delete(name)
    if (state === null) return
    const pages = await Promise.all(
      firstHtmlPaths.map(async (path) => [path, await fetchDrawn(path)] as const),
    )
    const now = await caches.open(name)
    for (const [path, page] of pages) await now.put(path, page)
    // Last: whoever is interrupted before it begins anew the next time.
    await now.put(stateAddress, new Response(state))
  }

  async function fetchDrawn(path: string): Promise<Response> {
    const page = await fetch(path)
    const html = await page.clone().text()
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!)
    if (page.status !== 200 || !html.includes('data-first=""'))
      throw new Error(`${path} came without its rows`)
    // As JSON has it, and nothing else: quotation marks in texts are escaped, in HTML and in JSON.
    if (!html.includes('"visitor":true')) throw new Error(`${path} was drawn for somebody who is signed in`)
    if (!files.every(hasFile)) throw new Error(`${path} is of another build`)
    return page
  }

  return {
    async answer({ pathname, search }) {
      if (search !== '' || !firstHtmlPaths.includes(pathname)) return undefined
      if (pathname === '/teaching' && (await savedFirst())) return undefined
      const pages = await caches.open(name)
      return pages.match(pathname, { ignoreVary: true })
    },
    keep(state) {
      turn = turn.then(() => keepNow(state)).catch(() => undefined)
      return turn
    },
    async dropOthers() {
      for (const other of await caches.keys())
        if (other.startsWith(prefix) && other !== name) await caches.delete(other)
    },
  }
}

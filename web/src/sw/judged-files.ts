import type { WorkboxPlugin } from 'workbox-core'

/** What the worker knows of the files that it precaches. */
interface KnownFiles {
  /** Of a path, as a `<script integrity>` has it; undefined for the page, to which the server adds tags. */
  readonly integrity: ReadonlyMap<string, string>
  readonly template: string
}

/**
 * Judges files before they are cached and before they are served: portals, proxies and maintenance pages answer anything with
 * HTML and status 200. A wrong file fails the installation, so that the version before goes on; one that was cached by an
 * earlier version is fetched again.
 */
export function judgedFiles({ integrity, template }: KnownFiles): WorkboxPlugin {
  const isRight = (path: string, response: Response) =>
    path === template
      ? isOwnPage(response, (file) => integrity.has(file))
      : Promise.resolve(!isHtml(response))
  return {
    async cacheWillUpdate({ request, response }) {
      const isAnswer = response.status === 200 && !response.redirected
      return isAnswer && (await isRight(pathOf(request), response.clone())) ? response : null
    },
    async cachedResponseWillBeUsed({ request, cachedResponse, event }) {
      if (!cachedResponse) return cachedResponse
      const path = pathOf(request)
      if (!(await isRight(path, cachedResponse.clone()))) return null
      // Digests take too long for every request.
      const wanted = event.type === 'install' ? integrity.get(path) : undefined
      return wanted === undefined || wanted === (await digestOf(cachedResponse.clone()))
        ? cachedResponse
        : null
    },
  }
}

/** Whether the version that filled this cache cannot start from it, because it cached foreign pages as its files. */
export async function isPoisoned(cache: Pick<Cache, 'keys' | 'match'>, template: string): Promise<boolean> {
  for (const request of await cache.keys()) {
    const response = await cache.match(request)
    const path = pathOf(request)
    if (!response || (path !== template && path.endsWith('.html'))) continue
    const isRight = path === template ? await isOwnPage(response, () => true) : !isHtml(response)
    if (!isRight) return true
  }
  return false
}

const pathOf = ({ url }: Request) => new URL(url).pathname

const isHtml = ({ headers }: Response) => /\bhtml\b/.test(headers.get('content-type') ?? '')

/** Only the page of a build loads its script; it may be that of another build. */
async function isOwnPage(response: Response, hasFile: (path: string) => boolean): Promise<boolean> {
  if (!isHtml(response)) return false
  const scripts = [...(await response.text()).matchAll(/<script[^>]*\ssrc="(\/assets\/[^"]+)"/g)]
  return scripts.length > 0 && scripts.every(([, file]) => hasFile(file!))
}

async function digestOf(response: Response): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer()))
  return `sha256-${btoa(String.fromCharCode(...digest))}`
}

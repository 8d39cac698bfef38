import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPage } from '@fellowship/schema/routes'
import { sendCached } from './cached-files.ts'
import { pageSender, type HeadOf } from './page-html.ts'
import { readEntries, fileHeaders } from './built-files.ts'

/** Answers a request for a built file or page; false where the address is neither. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean

/** What the server adds to the built page. */
export interface PageSource {
  headOf: HeadOf
  /** Head tags of every page, also of the one in the service worker's cache. */
  commonHead: string
  /** Called when a page was sent without its own head. */
  onError: (error: unknown) => void
}

/**
 * Serves the built web client from memory, before the framework: a few hundred small files, compressed by the build.
 * `headers` go on every answer; `earlierAssets` is a folder of assets that this build has not. An unknown path that a browser navigates to gets the client's 404 page, with status 404.
 */
export async function staticFiles(
  folder: string,
  headers: Record<string, string>,
  pageSource?: PageSource,
  earlierAssets?: string,
): Promise<StaticFiles> {
  const entries = await readEntries(folder, headers, pageSource?.commonHead ?? '')
  if (earlierAssets !== undefined) {
    const earlier = await readEntries(earlierAssets, headers, '', '/assets/')
    for (const [address, file] of earlier) if (!entries.has(address)) entries.set(address, file)
  }
  const page = entries.get('/index.html')
  const sendPage =
    pageSource && page
      ? pageSender(
          page.plain.body.toString(),
          fileHeaders(headers, '/'),
          pageSource.headOf,
          pageSource.onError,
          (address) => entries.get(address)?.plain.body.toString(),
        )
      : undefined
  return (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const file = entries.get(pathname)
    if (file) return sendCached(request, response, file, 200)
    if (!page || pathname.startsWith('/api/')) return false
    if (!isPage(pathname) && !wantsPage(request)) return false
    const status = isPage(pathname) ? 200 : 404
    if (!sendPage) return sendCached(request, response, page, status)
    void sendPage(request, response, status)
    return true
  }
}

/** Whether a browser navigates; missing scripts and pictures get the plain failure instead of a page. */
const wantsPage = (request: IncomingMessage) => /\btext\/html\b/.test(String(request.headers.accept ?? ''))

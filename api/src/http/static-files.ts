import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { isPage } from '@fellowship/schema/routes'
import type { ContentCoding } from './accepted-encoding.ts'
import { compressedCopies, copyToDevice, sendKept, type KeptFile } from './kept-copies.ts'
import { pageSender, withTags, type HeadOf } from './page-html.ts'

/** Answers a request for a built file or page; false where the address is neither. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean

/** What a page's first HTML is made with, where that is more than the built file. */
export interface PageMaking {
  headOf: HeadOf
  /** Tags that every page carries, also the one that the device keeps. */
  commonHead: string
  /** Told why a page went out without its own head. */
  onError: (error: unknown) => void
}

/**
 * Serves the built web client from memory, before the framework: a few hundred small files whose compressed
 * copies were made by the build. `headers` go on every answer. An unknown path that a person navigates to
 * is the client's 404 page, with status 404.
 */
export async function staticFiles(
  folder: string,
  headers: Record<string, string>,
  making?: PageMaking,
): Promise<StaticFiles> {
  const entries = await readEntries(folder, headers, making?.commonHead ?? '')
  const page = entries.get('/index.html')
  const sendPage =
    making && page
      ? pageSender(
          page.plain.body.toString(),
          keptHeaders(headers, '/'),
          making.headOf,
          making.onError,
          (address) => entries.get(address)?.plain.body.toString(),
        )
      : undefined
  return (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const file = entries.get(pathname)
    if (file) return sendKept(request, response, file, 200)
    if (!page || pathname.startsWith('/api/')) return false
    if (!isPage(pathname) && !wantsPage(request)) return false
    const status = isPage(pathname) ? 200 : 404
    if (!sendPage) return sendKept(request, response, page, status)
    void sendPage(request, response, status)
    return true
  }
}

async function readEntries(
  folder: string,
  headers: Record<string, string>,
  commonHead: string,
): Promise<Map<string, KeptFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const present = new Set(files)
  const changed = changes(headers, commonHead)
  const entries = new Map<string, KeptFile>()
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`
    const type = types[path.extname(file)] ?? 'application/octet-stream'
    const kept = keptHeaders(headers, address)
    const plain = await readFile(file)
    const change = changed[address]
    if (change) {
      const made = Buffer.from(change(plain.toString()))
      entries.set(address, copyToDevice(made, type, kept, compressedCopies(made)))
      continue
    }
    const compressed: Partial<Record<ContentCoding, Buffer>> = {}
    for (const [coding, ending] of copies) {
      if (present.has(`${file}.${ending}`)) compressed[coding] = await readFile(`${file}.${ending}`)
    }
    entries.set(address, copyToDevice(plain, type, kept, compressed))
  }
  return entries
}

/**
 * Files that are not served as they were built: the page has tags of its own, and the worker's list names it by what it
 * has become. A device that has the site keeps the page until its revision is another one, and would else never hear
 * that an address in it has changed, and the rules that allow it.
 */
function changes(
  headers: Record<string, string>,
  commonHead: string,
): Record<string, (text: string) => string> {
  if (commonHead === '') return {}
  const digest = createHash('sha256').update(commonHead).update(JSON.stringify(headers)).digest('hex')
  return {
    '/index.html': (page) => withTags(page, commonHead),
    '/service-worker.js': (script) =>
      script.replace(/("revision":"\w+)(","url":"index\.html")/, `$1-${digest.slice(0, 8)}$2`),
  }
}

const keptHeaders = (headers: Record<string, string>, address: string): Record<string, string> => ({
  ...headers,
  // Built files carry a hash in their name; everything else is asked for again each time, answered by 304.
  'cache-control': address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  vary: 'accept-encoding',
  // Podcast directories and shared links show these on their own pages.
  ...(address.startsWith('/artwork/') && { 'cross-origin-resource-policy': 'cross-origin' }),
})

/** As the build makes them. */
const copies: readonly [ContentCoding, ending: string][] = [
  ['br', 'br'],
  ['gzip', 'gz'],
]

/** A person's browser asks for a page; scripts and pictures that do not exist get the plain failure. */
const wantsPage = (request: IncomingMessage) => /\btext\/html\b/.test(String(request.headers.accept ?? ''))

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

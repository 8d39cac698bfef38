import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { meantPages } from '@fellowship/schema/meant-pages'
import { church } from '@fellowship/schema/church'
import { isPage } from '@fellowship/schema/routes'
import { cacheFile, compressNow, sendCached, type CachedFile } from './cached-files.ts'
import type { ContentCoding } from './content-coding.ts'
import { decodedPath } from './caller.ts'
import { wantsPage } from './failure-page.ts'
import { pageSender, withTags, type HeadOf } from './page-html.ts'
import { withInlineStyle, withWebAssembly } from './security-headers.ts'

/** Built files that lack the words of one church, and how they get them. */
export interface FilledFiles {
  readonly fill: Readonly<Record<string, (text: string) => string>>
  /** Another one when the words have changed. */
  readonly revision: () => unknown
  /** The style sheet that stands in the filled-in page. */
  readonly style: () => string
  /** The settings that the words depend on. */
  readonly settings: string
}

/** Answers a request for a built file or page; false if the address is neither. */
type StaticFiles = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean

/** The server's additions to the built files. */
export interface PageSource {
  headOf: HeadOf
  /** Built files that the server fills in, by address. */
  filled?: FilledFiles
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
  const entries = await readEntries(folder, headers, pageSource)
  if (earlierAssets !== undefined) {
    const earlier = await readEntries(earlierAssets, headers, undefined, '/assets/')
    for (const [address, file] of earlier) if (!entries.has(address)) entries.set(address, file)
  }
  const { fill = {}, revision = () => undefined, style } = pageSource?.filled ?? {}
  const filledNow = perRevision(revision, () => {
    const filled = new Map<string, CachedFile>()
    const styled = style ? withInlineStyle(headers, style()) : headers
    for (const [address, words] of Object.entries(fill)) {
      const built = entries.get(address)
      if (!built) continue
      const body = Buffer.from(words(built.plain.body.toString()))
      const own = fileHeaders(typeOf(address) === types['.html'] ? styled : headers, address)
      const file = cacheFile(body, typeOf(address), own, compressNow(body))
      filled.set(address, file)
    }
    const page = filled.get('/index.html') ?? entries.get('/index.html')
    const sendPage =
      pageSource &&
      page &&
      pageSender(
        page.plain.body.toString(),
        fileHeaders(styled, '/'),
        pageSource.headOf,
        pageSource.onError,
        (address) => entries.get(address)?.plain.body.toString(),
      )
    return { filled, page, sendPage }
  })
  return (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { filled, page, sendPage } = filledNow()
    const file = filled.get(pathname) ?? entries.get(pathname)
    if (file) return sendCached(request, response, file, 200)
    if (!page || pathname.startsWith('/api/')) return false
    const decoded = decodedPath(pathname)
    const isKnown = isPage(pathname) || (church().links?.some(({ path }) => path === decoded) ?? false)
    if (!isKnown && !wantsPage(request) && meantPages(decoded).length === 0) return false
    const status = isKnown ? 200 : 404
    if (!sendPage) return sendCached(request, response, page, status)
    void sendPage(request, response, status)
    return true
  }
}

/** Makes a value once for each revision. */
function perRevision<Value>(revision: () => unknown, make: () => Value): () => Value {
  let made: { revision: unknown; value: Value } | undefined
  return () => {
    const now = revision()
    if (!made || made.revision !== now) made = { revision: now, value: make() }
    return made.value
  }
}

async function readEntries(
  folder: string,
  headers: Record<string, string>,
  pageSource: PageSource | undefined,
  under = '/',
): Promise<Map<string, CachedFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const present = new Set(files)
  const changed = changes(headers, pageSource?.commonHead ?? '', pageSource?.filled?.settings ?? '')
  const entries = new Map<string, CachedFile>()
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    const address = `${under}${path.relative(folder, file).split(path.sep).join('/')}`
    const type = typeOf(file)
    const headersOfFile = fileHeaders(headers, address)
    const plain = await readFile(file)
    const change = changed[address]
    if (change) {
      const made = Buffer.from(change(plain.toString()))
      entries.set(address, cacheFile(made, type, headersOfFile, compressNow(made)))
      continue
    }
    const compressed: Partial<Record<ContentCoding, Buffer>> = {}
    for (const [coding, ending] of copies) {
      if (present.has(`${file}.${ending}`)) compressed[coding] = await readFile(`${file}.${ending}`)
    }
    entries.set(address, cacheFile(plain, type, headersOfFile, compressed))
  }
  return entries
}

/**
 * Built files that are changed before serving: the page gets the common head tags, and the service worker's precache list
 * a revision that depends on them and on the headers. Without that, an installed client would keep the cached page when
 * the configuration changes.
 */
function changes(
  headers: Record<string, string>,
  commonHead: string,
  settings: string,
): Record<string, (text: string) => string> {
  if (commonHead + settings === '') return {}
  const digest = createHash('sha256')
    .update(commonHead + settings)
    .update(JSON.stringify(headers))
    .digest('hex')
  return {
    '/index.html': (page) => withTags(page, commonHead),
    '/service-worker.js': (script) =>
      script.replace(/("revision":"\w+)(","url":"index\.html")/, `$1-${digest.slice(0, 8)}$2`),
  }
}

const fileHeaders = (headers: Record<string, string>, address: string): Record<string, string> => ({
  ...(soundWorkers.test(address) ? withWebAssembly(headers) : headers),
  // Built files have a hash in their name; everything else is revalidated on every use.
  'cache-control': address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  vary: 'accept-encoding',
  // Podcast directories and link previews embed these on their own pages.
  ...(address.startsWith('/artwork/') && { 'cross-origin-resource-policy': 'cross-origin' }),
})

/** The scripts that compile WebAssembly; a worker has the policy that came with its own script. */
const soundWorkers = /^\/assets\/(?:smaller|sound)\.worker-[\w-]+\.js$/

/** Codings and file endings of the compressed files that the build makes. */
const copies: readonly [ContentCoding, ending: string][] = [
  ['br', 'br'],
  ['gzip', 'gz'],
]

const typeOf = (file: string) => types[path.extname(file)] ?? 'application/octet-stream'

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

const keptMs = 30 * 24 * 60 * 60_000

/**
 * Keeps the assets of the releases before, for open pages and installed apps that still ask for them, in a folder that an
 * update does not replace. An asset is removed 30 days after the first start without it.
 *
 * @param assets those of this build
 * @param kept the folder, made if needed
 */
export async function keepAssets(assets: string, kept: string, now = Date.now()): Promise<void> {
  await mkdir(kept, { recursive: true })
  const current = await readdir(assets).catch(() => [])
  // A build without assets is no build; nothing is learned from it.
  if (current.length === 0) return
  const before = await namesIn(path.join(kept, list))
  const known = new Set(current)
  for (const name of before) {
    // Its days count from now, not from when it was built.
    if (!known.has(name)) await utimes(path.join(kept, name), now / 1000, now / 1000).catch(() => undefined)
  }
  const present = new Set(await readdir(kept))
  for (const name of current) {
    if (!present.has(name))
      await aside(path.join(kept, name), (file) => copyFile(path.join(assets, name), file))
  }
  for (const name of present) {
    if (known.has(name) || name === list) continue
    const file = path.join(kept, name)
    if ((await stat(file)).mtimeMs < now - keptMs) await rm(file, { force: true })
  }
  await aside(path.join(kept, list), (file) => writeFile(file, JSON.stringify(current)))
}

/** Names of the build that ran last. */
const list = 'current.json'

async function namesIn(file: string): Promise<string[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as string[]
  } catch {
    return []
  }
}

async function aside(file: string, write: (to: string) => Promise<void>): Promise<void> {
  await write(`${file}.part`)
  await rename(`${file}.part`, file)
}

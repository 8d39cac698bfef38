import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ContentCoding } from './accepted-encoding.ts'
import { compressNow, cacheFile, type CachedFile } from './cached-files.ts'
import { withTags } from './page-html.ts'
import { withWebAssembly } from './security-headers.ts'

export async function readEntries(
  folder: string,
  headers: Record<string, string>,
  commonHead: string,
  under = '/',
): Promise<Map<string, CachedFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const present = new Set(files)
  const changed = changes(headers, commonHead)
  const entries = new Map<string, CachedFile>()
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    const address = `${under}${path.relative(folder, file).split(path.sep).join('/')}`
    const type = types[path.extname(file)] ?? 'application/octet-stream'
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
): Record<string, (text: string) => string> {
  if (commonHead === '') return {}
  const digest = createHash('sha256').update(commonHead).update(JSON.stringify(headers)).digest('hex')
  return {
    '/index.html': (page) => withTags(page, commonHead),
    '/service-worker.js': (script) =>
      script.replace(/("revision":"\w+)(","url":"index\.html")/, `$1-${digest.slice(0, 8)}$2`),
  }
}

export const fileHeaders = (headers: Record<string, string>, address: string): Record<string, string> => ({
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

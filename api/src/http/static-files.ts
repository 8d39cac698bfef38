import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { isPage } from '@fellowship/schema/routes'

/** Answers a request for a built file or page; false where the address is neither. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean

interface Entry {
  type: string
  cacheControl: string
  etag: string
  plain: Buffer
  encoded: { encoding: 'br' | 'gzip'; body: Buffer }[]
}

/**
 * Serves the built web client from memory, before the framework: a few hundred small files whose compressed
 * copies were made by the build. `headers` go on every answer. An unknown path that a person navigates to
 * is the client's 404 page, with status 404.
 */
export async function staticFiles(folder: string, headers: Record<string, string>): Promise<StaticFiles> {
  const entries = await readEntries(folder)
  const page = entries.get('/index.html')
  return (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const file = entries.get(pathname)
    if (file) return send(request, response, file, 200, headers)
    if (!page || pathname.startsWith('/api/')) return false
    if (isPage(pathname)) return send(request, response, page, 200, headers)
    return wantsPage(request) ? send(request, response, page, 404, headers) : false
  }
}

async function readEntries(folder: string): Promise<Map<string, Entry>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const present = new Set(files)
  const entries = new Map<string, Entry>()
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    const plain = await readFile(file)
    const encoded: Entry['encoded'] = []
    if (present.has(`${file}.br`)) encoded.push({ encoding: 'br', body: await readFile(`${file}.br`) })
    if (present.has(`${file}.gz`)) encoded.push({ encoding: 'gzip', body: await readFile(`${file}.gz`) })
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`
    entries.set(address, {
      type: types[path.extname(file)] ?? 'application/octet-stream',
      // Built files carry a hash in their name; everything else is asked for again each time, answered by 304.
      cacheControl: address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
      plain,
      encoded,
    })
  }
  return entries
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  entry: Entry,
  status: number,
  headers: Record<string, string>,
): true {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const copy = entry.encoded.find(({ encoding }) =>
    new RegExp(`\\b${encoding}\\b(?!;q=0(\\.0*)?\\b)`).test(accepted),
  )
  const body = copy?.body ?? entry.plain
  const etag = copy ? entry.etag.replace(/"$/, `-${copy.encoding}"`) : entry.etag
  const common = { ...headers, etag, 'cache-control': entry.cacheControl, vary: 'accept-encoding' }
  if (status === 200 && matches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end()
    return true
  }
  response.writeHead(status, {
    ...common,
    'content-type': entry.type,
    'content-length': body.length,
    ...(copy && { 'content-encoding': copy.encoding }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  return true
}

/** RFC 9110 13.1.2: a list of tags, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

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

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { isPage } from '@fellowship/schema/routes'
import { acceptedEncoding, type ContentCoding } from './accepted-encoding.ts'

/** Answers a request for a built file or page; false where the address is neither. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean

/** One representation of a file, with its headers in the flat form that is written without another copy. */
interface Copy {
  body: Buffer
  etag: string
  /** Headers of the whole answer, and those of a 304. */
  whole: string[]
  unchanged: string[]
}

interface Entry {
  plain: Copy
  encoded: Partial<Record<ContentCoding, Copy>>
  /** Codings there are copies in, the smallest first. */
  codings: ContentCoding[]
}

/**
 * Serves the built web client from memory, before the framework: a few hundred small files whose compressed
 * copies were made by the build. `headers` go on every answer. An unknown path that a person navigates to
 * is the client's 404 page, with status 404.
 */
export async function staticFiles(folder: string, headers: Record<string, string>): Promise<StaticFiles> {
  const entries = await readEntries(folder, headers)
  const page = entries.get('/index.html')
  return (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const file = entries.get(pathname)
    if (file) return send(request, response, file, 200)
    if (!page || pathname.startsWith('/api/')) return false
    if (isPage(pathname)) return send(request, response, page, 200)
    return wantsPage(request) ? send(request, response, page, 404) : false
  }
}

async function readEntries(folder: string, headers: Record<string, string>): Promise<Map<string, Entry>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const present = new Set(files)
  const entries = new Map<string, Entry>()
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`
    const plain = await readFile(file)
    const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
    const kept = {
      ...headers,
      // Built files carry a hash in their name; everything else is asked for again each time, answered by 304.
      'cache-control': address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    }
    const type = types[path.extname(file)] ?? 'application/octet-stream'
    const entry: Entry = {
      plain: copyOf(plain, { ...kept, etag: `"${tag}"` }, type),
      encoded: {},
      codings: [],
    }
    for (const [coding, ending] of copies) {
      if (!present.has(`${file}.${ending}`)) continue
      const body = await readFile(`${file}.${ending}`)
      entry.encoded[coding] = copyOf(body, { ...kept, etag: `"${tag}-${coding}"` }, type, coding)
      entry.codings.push(coding)
    }
    entries.set(address, entry)
  }
  return entries
}

/** As the build makes them. */
const copies: readonly [ContentCoding, ending: string][] = [
  ['br', 'br'],
  ['gzip', 'gz'],
]

function copyOf(
  body: Buffer,
  headers: Record<string, string> & { etag: string },
  type: string,
  coding?: ContentCoding,
): Copy {
  const whole = { ...headers, 'content-type': type, 'content-length': String(body.length) }
  return {
    body,
    etag: headers.etag,
    whole: Object.entries(coding ? { ...whole, 'content-encoding': coding } : whole).flat(),
    unchanged: Object.entries(headers).flat(),
  }
}

function send(request: IncomingMessage, response: ServerResponse, entry: Entry, status: 200 | 404): true {
  const coding = acceptedEncoding(request.headers['accept-encoding'], entry.codings)
  const copy = (coding && entry.encoded[coding]) ?? entry.plain
  if (status === 200 && matches(request.headers['if-none-match'], copy.etag)) {
    response.writeHead(304, copy.unchanged).end()
    return true
  }
  response.writeHead(status, copy.whole)
  response.end(request.method === 'HEAD' ? undefined : copy.body)
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

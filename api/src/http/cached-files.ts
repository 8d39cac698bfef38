import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { acceptedEncoding, type ContentCoding } from './content-coding.ts'
import { matchesTag } from './deliver.ts'

/** One encoding of a file, with its headers as the flat list that Node writes without copying. */
interface Encoded {
  body: Buffer
  etag: string
  /** Headers of a 200, and those of a 304. */
  whole: string[]
  unchanged: string[]
}

/** A file in memory, plain and compressed, ready to be written. */
export interface CachedFile {
  plain: Encoded
  encoded: Partial<Record<ContentCoding, Encoded>>
  /** Codings it is available in, the smallest first. */
  codings: ContentCoding[]
}

/** Prepares a file and its compressed versions for sending. `headers` go on every answer, also on a 304. */
export function cacheFile(
  plain: Buffer,
  type: string,
  headers: Record<string, string>,
  compressed: Partial<Record<ContentCoding, Buffer>> = {},
): CachedFile {
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
  const cached: CachedFile = {
    plain: encodedFile(plain, { ...headers, etag: `"${tag}"` }, type),
    encoded: {},
    codings: [],
  }
  for (const [coding, body] of Object.entries(compressed) as [ContentCoding, Buffer][]) {
    cached.encoded[coding] = encodedFile(body, { ...headers, etag: `"${tag}-${coding}"` }, type, coding)
    cached.codings.push(coding)
  }
  return cached
}

/** Compresses a text that is generated at run time, in less than a millisecond for a page. */
export const compressNow = (text: Buffer): Partial<Record<ContentCoding, Buffer>> => ({
  br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: gzipSync(text),
})

/** Sends a cached file in the coding the client prefers; 304 if it has it already. */
export function sendCached(
  request: IncomingMessage,
  response: ServerResponse,
  file: CachedFile,
  status: 200 | 404,
): true {
  const coding = acceptedEncoding(request.headers['accept-encoding'], file.codings)
  const chosen = (coding && file.encoded[coding]) ?? file.plain
  if (status === 200 && matchesTag(request.headers['if-none-match'], chosen.etag)) {
    response.writeHead(304, chosen.unchanged).end()
    return true
  }
  response.writeHead(status, chosen.whole)
  response.end(request.method === 'HEAD' ? undefined : chosen.body)
  return true
}

function encodedFile(
  body: Buffer,
  headers: Record<string, string> & { etag: string },
  type: string,
  coding?: ContentCoding,
): Encoded {
  const whole = { ...headers, 'content-type': type, 'content-length': String(body.length) }
  return {
    body,
    etag: headers.etag,
    whole: Object.entries(coding ? { ...whole, 'content-encoding': coding } : whole).flat(),
    unchanged: Object.entries(headers).flat(),
  }
}

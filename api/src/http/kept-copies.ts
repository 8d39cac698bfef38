import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { acceptedEncoding, type ContentCoding } from './accepted-encoding.ts'
import { matchesTag } from './etag.ts'

/** One representation of a file, with its headers in the flat form that is written without another copy. */
interface Copy {
  body: Buffer
  etag: string
  /** Headers of the whole answer, and those of a 304. */
  whole: string[]
  unchanged: string[]
}

/** A file in memory, plain and compressed, ready to be written. */
export interface KeptFile {
  plain: Copy
  encoded: Partial<Record<ContentCoding, Copy>>
  /** Codings there are copies in, the smallest first. */
  codings: ContentCoding[]
}

/** Keeps a file with the compressed copies that are there. `headers` go on every answer, also on a 304. */
export function copyToDevice(
  plain: Buffer,
  type: string,
  headers: Record<string, string>,
  compressed: Partial<Record<ContentCoding, Buffer>> = {},
): KeptFile {
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
  const kept: KeptFile = {
    plain: copyOf(plain, { ...headers, etag: `"${tag}"` }, type),
    encoded: {},
    codings: [],
  }
  for (const [coding, body] of Object.entries(compressed) as [ContentCoding, Buffer][]) {
    kept.encoded[coding] = copyOf(body, { ...headers, etag: `"${tag}-${coding}"` }, type, coding)
    kept.codings.push(coding)
  }
  return kept
}

/** Compressed copies of a text that is made while the product runs: good ones, in less than a millisecond for a page. */
export const compressedCopies = (text: Buffer): Partial<Record<ContentCoding, Buffer>> => ({
  br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: gzipSync(text),
})

/** Answers with a kept file, in the coding the client likes best. */
export function sendKept(
  request: IncomingMessage,
  response: ServerResponse,
  file: KeptFile,
  status: 200 | 404,
): true {
  const coding = acceptedEncoding(request.headers['accept-encoding'], file.codings)
  const copy = (coding && file.encoded[coding]) ?? file.plain
  if (status === 200 && matchesTag(request.headers['if-none-match'], copy.etag)) {
    response.writeHead(304, copy.unchanged).end()
    return true
  }
  response.writeHead(status, copy.whole)
  response.end(request.method === 'HEAD' ? undefined : copy.body)
  return true
}

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

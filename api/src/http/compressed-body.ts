import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Bytes that are sent many times, in every coding; each is made when first asked for, then kept. */
export interface CompressedBody {
  readonly plain: Buffer
  readonly gzip: () => Promise<Buffer>
  /** Well compressed at once; as well as is possible soon after, when the slow compressor is done. */
  readonly brotli: () => Promise<Buffer>
}

/** Compression runs on the library's own threads: quality 5 takes a blink, 11 a second or three for a megabyte. */
export function compressedBody(plain: Buffer): CompressedBody {
  let best: Buffer | undefined
  const quick = once(async () => {
    const first = await brotli(plain, 5)
    brotli(plain, 11).then(
      (smaller) => (best = smaller),
      () => undefined,
    )
    return first
  })
  return {
    plain,
    gzip: once(() => promisify(gzip)(plain)),
    brotli: async () => best ?? quick(),
  }
}

function brotli(plain: Buffer, quality: number): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  }
  return promisify(brotliCompress)(plain, { params })
}

function once<T>(work: () => T): () => T {
  let done: { value: T } | undefined
  return () => (done ??= { value: work() }).value
}

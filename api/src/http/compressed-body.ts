import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { onceMade } from '../machine/once-made.ts'

/** A body that is sent many times; each coding is compressed on first use, then cached. */
export interface CompressedBody {
  readonly plain: Buffer
  readonly gzip: () => Promise<Buffer>
  /** Quality 5 at first; quality 11 as soon as that has been computed in the background. */
  readonly brotli: () => Promise<Buffer>
}

/**
 * Compresses on zlib's own threads: quality 5 takes milliseconds, 11 one to three seconds per megabyte.
 *
 * @param options.best false for bodies of which there are many: they stay at quality 5
 */
export function compressedBody(plain: Buffer, { best: wantsBest = true } = {}): CompressedBody {
  let best: Buffer | undefined
  const quick = onceMade(async () => {
    const first = await brotli(plain, 5)
    if (wantsBest)
      brotli(plain, 11).then(
        (smaller) => (best = smaller),
        () => undefined,
      )
    return first
  })
  return {
    plain,
    gzip: onceMade(() => promisify(gzip)(plain)),
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

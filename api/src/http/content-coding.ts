import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { onceMade } from '../machine/caches.ts'

/** Content codings that answers are offered in. */
export type ContentCoding = 'br' | 'gzip'

/**
 * The coding to answer with (RFC 9110 12.5.3): of those offered, the one the client weighs highest, among equals the
 * first. Undefined if it accepts none of them, or sends no header: the body is then sent uncompressed.
 */
export function acceptedEncoding(
  header: string | string[] | undefined,
  offered: readonly ContentCoding[],
): ContentCoding | undefined {
  if (header === undefined || header.length === 0) return undefined
  const weights = weightsOf(String(header))
  let best: ContentCoding | undefined
  let bestWeight = 0
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > bestWeight) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

/** Parsed headers by their text: browsers send a handful of different ones. */
const known = new Map<string, ReadonlyMap<string, number>>()
const maxKnown = 100

function weightsOf(header: string): ReadonlyMap<string, number> {
  const found = known.get(header)
  if (found) return found
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
    if (coding !== '') weights.set(coding, weight === undefined ? 1 : Number(weight) || 0)
  }
  if (known.size >= maxKnown) known.clear()
  known.set(header, weights)
  return weights
}

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

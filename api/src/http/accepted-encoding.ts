/** Content codings that answers are offered in. */
export type ContentCoding = 'br' | 'gzip'

/**
 * The coding to answer with (RFC 9110 12.5.3): of those offered, the one the client weighs highest, among equals the
 * first. Undefined where it accepts none of them, or sends no header: the body is then sent uncompressed.
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

/** The decoder of the platform, as far as it is used here: this package has no types of a platform. */
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean },
) => { decode: (bytes: Uint8Array) => string }

/**
 * The text of a file of captions in UTF-8, UTF-16 or Windows-1252, which Latin-1 is a part of. Undefined if it is no text.
 */
export function textOfCaption(bytes: Uint8Array): string | undefined {
  for (const encoding of [wideEncoding(bytes) ?? 'utf-8', 'windows-1252']) {
    const text = decodedAs(encoding, bytes)
    if (text === undefined) continue
    // oxlint-disable-next-line no-control-regex
    return /[\x00-\x08\x0E-\x1A]/.test(text) ? undefined : text
  }
  return undefined
}

function decodedAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** UTF-16, by its mark or, without one, by its zero bytes: of English text every second byte is zero. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 512)
  const zeros = [0, 0]
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]! += 1
  })
  const many = head.length / 4
  if (zeros[1]! > many && zeros[0]! < many / 4) return 'utf-16le'
  if (zeros[0]! > many && zeros[1]! < many / 4) return 'utf-16be'
  return undefined
}

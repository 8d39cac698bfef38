/** The text of a document in the encoding that it declares, UTF-8 by default, else that of old Windows programs. */
export function textOfBytes(bytes: Buffer): string {
  const declared = /^[^>]{0,100}encoding=["']([\w-]+)["']/.exec(
    bytes.subarray(0, 200).toString('latin1'),
  )?.[1]
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe
  const encodings = [isWide ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : declared, 'utf-8']
  for (const encoding of encodings)
    try {
      if (encoding) return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {
      // Another one may fit.
    }
  return new TextDecoder('windows-1252').decode(bytes)
}

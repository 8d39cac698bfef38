/** Byte arrays one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** UTF-8, without zeros, which separate values. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  for (const letter of text.replaceAll('\0', '')) {
    const point = letter.codePointAt(0)!
    // Half of a pair is no character.
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
    const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f)
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(0))
    else if (code < 0x1_0000) bytes.push(0xe0 | (code >> 12), tail(6), tail(0))
    else bytes.push(0xf0 | (code >> 18), tail(12), tail(6), tail(0))
  }
  return Uint8Array.from(bytes)
}

/** One byte for each letter, such as those of the names of chunks and boxes. */
export const latin = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** The letters of bytes of that kind. */
export const latinText = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

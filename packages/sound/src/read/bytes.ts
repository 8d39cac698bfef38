/** A recording's bytes, in memory, on a disk or in a blob. */
export interface RecordingBytes {
  readonly size: number
  /** Returns fewer bytes only if the recording ends. */
  readonly read: (from: number, length: number) => Promise<Uint8Array>
}

/**
 * A recording's bytes without promises, for parsers that read a few bytes in many places: a promise for each of a million
 * positions costs more than the reading.
 */
export interface ByteWindow {
  readonly size: number
  /** The bytes from `at`; fewer than `length` only if the file ends. Valid until the next call. */
  read(at: number, length: number): Uint8Array
  /** The bytes in memory, for loops over every position. */
  memory(): { bytes: Uint8Array; start: number; end: number }
}

/** A stretch of a file, as if it were a file. */
export const windowOf = (file: ByteWindow, { from, to }: Stretch): ByteWindow => ({
  size: to - from,
  read: (at, length) => file.read(from + at, Math.max(0, Math.min(length, to - from - at))),
  memory() {
    const { bytes, start, end } = file.memory()
    return { bytes, start: start - from, end: Math.min(end, to) - from }
  },
})

/** A window for readers that wait for their bytes. */
export const asynchronous = (window: ByteWindow): RecordingBytes => ({
  size: window.size,
  read: async (at, length) => window.read(at, length),
})

/** Bytes of a file, `to` excluded. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A file that is made of another one is a list of parts: new bytes, or a stretch of the other file. */
export type Part = Uint8Array<ArrayBuffer> | Stretch

/** The bytes of a browser's blob. */
export const blobBytes = (blob: BlobLike): RecordingBytes => ({
  size: blob.size,
  read: async (from, length) =>
    new Uint8Array(await blob.slice(Math.max(0, from), from + length).arrayBuffer()),
})

/** The part of a browser's blob that is used here. */
export interface BlobLike {
  readonly size: number
  /** MIME type; may be empty. */
  readonly type: string
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

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

/** UTF-8 without null characters, which would separate values. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  for (const letter of text.replaceAll('\0', '')) {
    const point = letter.codePointAt(0)!
    // A lone surrogate is not a character.
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
    const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f)
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(0))
    else if (code < 0x1_0000) bytes.push(0xe0 | (code >> 12), tail(6), tail(0))
    else bytes.push(0xf0 | (code >> 18), tail(12), tail(6), tail(0))
  }
  return Uint8Array.from(bytes)
}

/** One byte per letter, as in the names of chunks and boxes. */
export const latin = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** The text of such bytes. */
export const latinText = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

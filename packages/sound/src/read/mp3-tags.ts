import { latinText, viewOf, type ByteWindow, type RecordingBytes, type Stretch } from './bytes.ts'

/** Tags before and behind the sound of an MP3, each with its kind. */
export interface FoundTags {
  readonly leading: readonly FoundTag[]
  readonly trailing: readonly FoundTag[]
  /** What lies between them. */
  readonly sound: Stretch
}

export interface FoundTag extends Stretch {
  readonly kind: 'ID3v2' | 'ID3v1' | 'APE' | 'Lyrics3'
}

/** More than any program writes. */
const mostTags = 16

/**
 * Finds all tags of a file: ID3v2 and APE in front, ID3v1, Lyrics3, APE and ID3v2 behind. A damaged tag whose length leads
 * beyond the file, or leaves no sound, is none.
 */
export async function findTags({ size, read }: RecordingBytes): Promise<FoundTags> {
  const leading: FoundTag[] = []
  const trailing: FoundTag[] = []
  let from = 0
  while (leading.length < mostTags) {
    const head = await read(from, 32)
    const bytes = id3v2Bytes(head) || apeBytes(head, 'header')
    if (bytes === 0 || from + bytes >= size) break
    leading.push({ kind: startsWith(head, 'ID3') ? 'ID3v2' : 'APE', from, to: from + bytes })
    from += bytes
  }
  let to = size
  while (trailing.length < mostTags) {
    const last = await read(Math.max(from, to - 128), Math.min(128, to - from))
    const tag = endingTag(last)
    if (!tag || to - tag.bytes <= from) break
    trailing.push({ kind: tag.kind, from: to - tag.bytes, to })
    to -= tag.bytes
  }
  // A tag of more than half the file is believed only if a frame follows it.
  const next = await read(from, 2)
  const isBelieved = size - (to - from) < size / 2 || (next[0] === 0xff && (next[1]! & 0xe0) === 0xe0)
  return isBelieved
    ? { leading, trailing, sound: { from, to } }
    : { leading: [], trailing: [], sound: { from: 0, to: size } }
}

/** The tag that ends here, by its last bytes. */
function endingTag(last: Uint8Array): { kind: FoundTag['kind']; bytes: number } | undefined {
  if (last.length === 128 && startsWith(last, 'TAG')) return { kind: 'ID3v1', bytes: 128 }
  const ape = apeBytes(last.subarray(-32), 'footer')
  if (ape > 0) return { kind: 'APE', bytes: ape }
  const footer = last.subarray(-10)
  if (startsWith(footer, '3DI')) {
    const bytes = id3v2Bytes(Uint8Array.from([0x49, 0x44, 0x33, ...footer.subarray(3)]))
    if (bytes > 0) return { kind: 'ID3v2', bytes }
  }
  const lyrics = /(\d{6})LYRICS200$/.exec(latinText(last.subarray(-15)))
  return lyrics ? { kind: 'Lyrics3', bytes: Number(lyrics[1]) + 15 } : undefined
}

/** Bytes of a tag that begins here: ID3v2 (its footer counted), APEv2, ID3v1 at the very end; else 0. */
export function tagAt(file: ByteWindow, at: number): number {
  const mark = latinText(file.read(at, 3))
  if (mark === 'ID3') return id3v2Bytes(file.read(at, headBytes))
  if (mark === 'TAG' && file.size - at === 128) return 128
  return mark === 'APE' ? apeBytes(file.read(at, 32), 'either') : 0
}

/** The start of the sound behind tags; undefined after more tags than a recording has, of which each costs a little time. */
export function soundStart(file: ByteWindow): number | undefined {
  let at = 0
  for (let tags = 0; tags < mostTags; tags++) {
    const tag = tagAt(file, at)
    if (tag === 0) return at
    at += tag
  }
  return undefined
}

const headBytes = 10

/** Length of the tag with this head, stored as four times seven bits (ID3v2.4 6.2); 0 if it is not a tag. */
function id3v2Bytes(first: Uint8Array): number {
  if (first.length < headBytes || !startsWith(first, 'ID3')) return 0
  const size = first.subarray(6, 10)
  if (size.some((part) => part > 0x7f)) return 0
  const hasFooter = (first[5]! & 0x10) !== 0
  return headBytes + size.reduce((sum, part) => sum * 128 + part, 0) + (hasFooter ? 10 : 0)
}

/** Length of the APEv2 tag with this header or footer of 32 bytes; 0 if it is not one. */
function apeBytes(bytes: Uint8Array, end: 'header' | 'footer' | 'either'): number {
  if (bytes.length < 32 || !startsWith(bytes, 'APETAGEX')) return 0
  const view = viewOf(bytes)
  const flags = view.getUint32(20, true)
  const isHeader = (flags & 0x2000_0000) !== 0
  if (end === 'either') return isHeader ? 32 + view.getUint32(12, true) : 32
  if (isHeader !== (end === 'header')) return 0
  const hasBoth = isHeader || (flags & 0x8000_0000) !== 0
  return view.getUint32(12, true) + (hasBoth ? 32 : 0)
}

const startsWith = (bytes: Uint8Array, mark: string): boolean =>
  [...mark].every((letter, at) => bytes[at] === letter.charCodeAt(0))

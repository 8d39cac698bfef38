import { latinText, viewOf, type ByteWindow } from './bytes.ts'

/** Bytes of tags before and behind the sound of an MP3. */
interface TagBytes {
  readonly before: number
  readonly behind: number
}

/** Bytes at both ends of a file that `tagBytes` needs. */
export const tagEnds = { first: 10, last: 160 } as const

/**
 * The existing tags of a file: ID3v2 before the sound, ID3v1 and APEv2 behind it.
 *
 * @param first the first bytes of the file
 * @param last its last bytes
 */
export function tagBytes(first: Uint8Array, last: Uint8Array, size: number): TagBytes {
  const before = id3v2Bytes(first)
  const id3v1 = last.length >= 128 && startsWith(last.subarray(-128), 'TAG') ? 128 : 0
  const behind = id3v1 + apeBytes(last.subarray(0, last.length - id3v1))
  // If a damaged tag declares more than half the file, its length is ignored.
  return before + behind < size / 2 ? { before, behind } : { before: 0, behind: 0 }
}

/** Bytes of a tag that begins here: ID3v2 (its footer counted), APEv2, ID3v1 at the very end; else 0. */
export function tagAt(file: ByteWindow, at: number): number {
  const mark = latinText(file.read(at, 3))
  if (mark === 'ID3') return id3v2Bytes(file.read(at, headBytes))
  if (mark === 'TAG' && file.size - at === 128) return 128
  if (mark === 'APE') {
    const tag = file.read(at, 32)
    if (tag.length === 32 && startsWith(tag, 'APETAGEX')) {
      const view = viewOf(tag)
      const isHeader = (view.getUint32(20, true) & 0x2000_0000) !== 0
      return isHeader ? 32 + view.getUint32(12, true) : 32
    }
  }
  return 0
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

/** Length of the APEv2 tag by its footer at the very end. */
function apeBytes(last: Uint8Array): number {
  if (last.length < 32) return 0
  const footer = last.subarray(-32)
  if (!startsWith(footer, 'APETAGEX')) return 0
  const view = viewOf(footer)
  const hasHeader = (view.getUint32(20, true) & 0x8000_0000) !== 0
  return view.getUint32(12, true) + (hasHeader ? 32 : 0)
}

const startsWith = (bytes: Uint8Array, mark: string): boolean =>
  [...mark].every((letter, at) => bytes[at] === letter.charCodeAt(0))

import { church } from '../church.ts'
import { shownTitle } from '../teachings/shown-title.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'
import { joined, utf8 } from './tag-bytes.ts'

/** What a player in a car shows of a teaching. */
export type TaggedTeaching = Pick<Teaching, 'title' | 'speaker' | 'date'> & {
  scriptureReference?: string | null
}

/** A picture for players that show one. */
export interface TagPicture {
  readonly mime: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What tags of every kind say of a teaching. */
export const tagWords = (teaching: TaggedTeaching) => ({
  title: shownTitle({ ...teaching, scriptureReference: teaching.scriptureReference ?? null }),
  speaker: teaching.speaker,
  date: teaching.date,
  passage: teaching.scriptureReference ?? '',
  album: church.name,
  genre: 'Speech',
})

/**
 * An ID3v2.4 tag with title, speaker, date, passage, church and picture, to stand before the frames of an MP3. Its length
 * is a multiple of 4 kB, so that a changed title does not move the sound behind it.
 */
export function id3Tag(teaching: TaggedTeaching, picture?: TagPicture): Uint8Array<ArrayBuffer> {
  const { title, speaker, date, passage, album, genre } = tagWords(teaching)
  const frames = [
    textFrame('TIT2', title),
    textFrame('TPE1', speaker),
    textFrame('TALB', album),
    textFrame('TDRC', date),
    textFrame('TDRL', date),
    textFrame('TCON', genre),
    ...(passage ? [comment(passage)] : []),
    ...(picture ? [pictureFrame(picture)] : []),
  ]
  const used = frames.reduce((sum, { length }) => sum + length, headBytes)
  const tag = new Uint8Array(Math.ceil(used / unit) * unit)
  tag.set(head(tag.length - headBytes))
  let at = headBytes
  for (const frame of frames) {
    tag.set(frame, at)
    at += frame.length
  }
  return tag
}

/** How many bytes of tags an MP3 has before and behind its sound. */
export interface TagBytes {
  readonly before: number
  readonly behind: number
}

/** Bytes of both ends of a file that `tagBytes` needs. */
export const tagEnds = { first: 10, last: 160 } as const

/**
 * The tags that a file has already: ID3v2 before the sound, ID3v1 and APEv2 behind it.
 *
 * @param first the first bytes of the file
 * @param last its last bytes
 */
export function tagBytes(first: Uint8Array, last: Uint8Array, size: number): TagBytes {
  const before = id3v2Bytes(first)
  const id3v1 = last.length >= 128 && startsWith(last.subarray(-128), 'TAG') ? 128 : 0
  const behind = id3v1 + apeBytes(last.subarray(0, last.length - id3v1))
  // What a damaged tag says of itself must not swallow the sound.
  return before + behind < size / 2 ? { before, behind } : { before: 0, behind: 0 }
}

const headBytes = 10
const unit = 4_096
/** The encoding of texts. */
const inUtf8 = 3

/** Four numbers of seven bits: no byte looks like the start of a frame of sound. */
const synchsafe = (value: number): number[] => [21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f)

const head = (bytes: number): number[] => [0x49, 0x44, 0x33, 4, 0, 0, ...synchsafe(bytes)]

function frame(id: string, content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = content.reduce((sum, { length }) => sum + length, 0)
  return joined([utf8(id), Uint8Array.from([...synchsafe(bytes), 0, 0]), ...content])
}

const textFrame = (id: string, text: string) => frame(id, [Uint8Array.of(inUtf8), utf8(text)])

const comment = (text: string) =>
  frame('COMM', [Uint8Array.of(inUtf8), utf8('eng'), Uint8Array.of(0), utf8(text)])

/** As the front cover. */
const pictureFrame = ({ mime, bytes }: TagPicture) =>
  frame('APIC', [Uint8Array.of(inUtf8), utf8(mime), Uint8Array.of(0, 3, 0), bytes])

function id3v2Bytes(first: Uint8Array): number {
  if (first.length < headBytes || !startsWith(first, 'ID3')) return 0
  const size = first.subarray(6, 10)
  if (size.some((part) => part > 0x7f)) return 0
  const hasFooter = (first[5]! & 0x10) !== 0
  return headBytes + size.reduce((sum, part) => sum * 128 + part, 0) + (hasFooter ? 10 : 0)
}

/** By the footer at the very end. */
function apeBytes(last: Uint8Array): number {
  if (last.length < 32) return 0
  const footer = last.subarray(-32)
  if (!startsWith(footer, 'APETAGEX')) return 0
  const view = new DataView(footer.buffer, footer.byteOffset, 32)
  const hasHeader = (view.getUint32(20, true) & 0x8000_0000) !== 0
  return view.getUint32(12, true) + (hasHeader ? 32 : 0)
}

const startsWith = (bytes: Uint8Array, mark: string): boolean =>
  [...mark].every((letter, at) => bytes[at] === letter.charCodeAt(0))

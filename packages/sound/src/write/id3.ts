import { chapterTitle, chaptersOf } from '@fellowship/schema/chapters/chapters'
import { church } from '@fellowship/schema/church'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { joined, latin, utf8, viewOf } from '../read/bytes.ts'

/** The fields of a teaching that a car player shows. */
export type TaggedTeaching = Pick<Teaching, 'title' | 'speaker' | 'date'> & {
  scriptureReference?: string | null
  /** Its chapters as text, and the length by which the last one ends. */
  chapters?: string | null
  duration?: string | null
}

/** Cover art. */
export interface TagPicture {
  readonly mime: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The fields of a tag, whatever its format. */
export const tagWords = (teaching: TaggedTeaching) => ({
  title: shownTitle({ ...teaching, scriptureReference: teaching.scriptureReference ?? null }),
  speaker: teaching.speaker,
  date: teaching.date,
  passage: teaching.scriptureReference ?? '',
  album: church().name,
  genre: 'Speech',
})

/**
 * An ID3v2.4 tag with title, speaker, date, passage, church and picture, for the start of an MP3. Its length is a multiple of
 * 4 kB, so that the sound behind it stays in place when a title changes.
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
    ...chapterFrames(teaching),
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

const headBytes = 10
const unit = 4_096
/** The encoding byte of UTF-8. */
const inUtf8 = 3

/** Four times seven bits, so that no byte looks like the start of a frame. */
const synchsafe = (value: number): number[] => [21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f)

const head = (bytes: number): number[] => [0x49, 0x44, 0x33, 4, 0, 0, ...synchsafe(bytes)]

function frame(id: string, content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = content.reduce((sum, { length }) => sum + length, 0)
  return joined([utf8(id), Uint8Array.from([...synchsafe(bytes), 0, 0]), ...content])
}

const textFrame = (id: string, text: string) => frame(id, [Uint8Array.of(inUtf8), utf8(text)])

const comment = (text: string) =>
  frame('COMM', [Uint8Array.of(inUtf8), utf8('eng'), Uint8Array.of(0), utf8(text)])

/** A table of contents and a frame for each chapter (ID3v2 Chapter Frame Addendum 1.0). */
function chapterFrames({ chapters, duration }: TaggedTeaching): Uint8Array<ArrayBuffer>[] {
  const all = chaptersOf(chapters)
  if (all.length === 0) return []
  const length = secondsOf(duration ?? null) ?? all.at(-1)!.seconds + 1
  const names = all.map((_, at) => latin(`ch${at}\0`))
  // The topmost table, in order.
  const contents = frame('CTOC', [latin('toc\0'), Uint8Array.of(3, all.length), ...names])
  return [
    contents,
    ...all.map((chapter, at) => {
      const times = new Uint8Array(16).fill(0xff)
      const view = viewOf(times)
      view.setUint32(0, chapter.seconds * 1000)
      view.setUint32(4, Math.max(chapter.seconds, all[at + 1]?.seconds ?? length) * 1000)
      return frame('CHAP', [names[at]!, times, textFrame('TIT2', chapterTitle(chapter))])
    }),
  ]
}

/** Marked as the front cover. */
const pictureFrame = ({ mime, bytes }: TagPicture) =>
  frame('APIC', [Uint8Array.of(inUtf8), utf8(mime), Uint8Array.of(0, 3, 0), bytes])

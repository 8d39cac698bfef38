import type { RecordingBytes } from './bytes.ts'
import { latinText, viewOf } from './bytes.ts'

/** The decoder of the platform, as far as it is used here: this package has no types of a platform. */
declare const TextDecoder: new (
  label: string,
  options?: { fatal: boolean },
) => { decode(bytes: Uint8Array): string }

/** Texts of a tag by the names of their frames in ID3v2.3 and later, such as TIT2. */
export type Id3Texts = Map<string, string>

/** Names of ID3v2.2 for the frames that are read. */
const olderNames: Readonly<Record<string, string>> = { TT2: 'TIT2', TP1: 'TPE1', TYE: 'TYER', TDA: 'TDAT' }
const wanted = ['TIT2', 'TPE1', 'TDRC', 'TDRL', 'TYER', 'TDAT']

/** Bytes of a text that is read, and of a tag whose bytes are all read because they are escaped. */
const longestText = 4_096
const longestEscaped = 1 << 20
const mostFrames = 1_000

/**
 * Reads the texts of an ID3v2 tag (id3.org: 2.2, 2.3, 2.4).
 *
 * @param at the position of the tag
 * @param size its bytes, header included
 */
export async function readId3(recording: RecordingBytes, at: number, size: number): Promise<Id3Texts> {
  const texts: Id3Texts = new Map()
  await eachFrame(recording, { at, size, wanted }, (name, content) => {
    if (!texts.has(name)) texts.set(name, textOf(content))
  })
  return texts
}

/** A chapter of a tag; its end is that of the next one. */
export interface Id3Chapter {
  readonly seconds: number
  readonly title: string
}

/** Reads the chapters of an ID3v2 tag (ID3v2 Chapter Frame Addendum 1.0), in the order of their times. */
export async function readId3Chapters(
  recording: RecordingBytes,
  at: number,
  size: number,
): Promise<Id3Chapter[]> {
  const frames: { content: Uint8Array; version: number }[] = []
  await eachFrame(recording, { at, size, wanted: ['CHAP'] }, (_, content, version) => {
    if (frames.length < mostChapters) frames.push({ content, version })
  })
  const chapters: Id3Chapter[] = []
  for (const { content, version } of frames) {
    // Its name within the tag, then start and end in milliseconds and in bytes, then frames of its own.
    const named = content.indexOf(0) + 1
    if (named === 0 || content.length < named + 16) continue
    const milliseconds = viewOf(content).getUint32(named)
    let title = ''
    await framesOf(inMemory(content), { start: named + 16, version, wanted: ['TIT2'] }, (_, text) => {
      title ||= textOf(text)
    })
    if (milliseconds < 0xffff_ffff) chapters.push({ seconds: milliseconds / 1000, title })
  }
  return chapters.sort((a, b) => a.seconds - b.seconds)
}

const mostChapters = 1_000

type FrameVisit = (name: string, content: Uint8Array, version: number) => void

async function eachFrame(
  recording: RecordingBytes,
  { at, size, wanted: names }: { at: number; size: number; wanted: readonly string[] },
  visit: FrameVisit,
): Promise<void> {
  const head = await recording.read(at, 10)
  const [version = 0, flags = 0] = [head[3], head[5]]
  const isEscaped = (flags & 0x80) !== 0 && version < 4
  const body = isEscaped
    ? inMemory(unescaped(await recording.read(at + 10, Math.min(size - 10, longestEscaped))))
    : { size: at + size, read: recording.read }
  let from = isEscaped ? 0 : at + 10
  if ((flags & 0x40) !== 0) from += await extendedBytes(body, from, version)
  return framesOf(body, { start: from, version, wanted: names }, visit)
}

async function extendedBytes({ read }: RecordingBytes, at: number, version: number): Promise<number> {
  const size = await read(at, 4)
  if (size.length < 4 || version < 3) return 0
  return version === 4 ? sevenBits(size) : viewOf(size).getUint32(0) + 4
}

async function framesOf(
  body: RecordingBytes,
  { start, version, wanted: names }: { start: number; version: number; wanted: readonly string[] },
  visit: FrameVisit,
): Promise<void> {
  const [nameBytes, headBytes] = version === 2 ? [3, 6] : [4, 10]
  let at = start
  for (let frames = 0; at + headBytes <= body.size && frames < mostFrames; frames++) {
    const head = await body.read(at, headBytes)
    const written = latinText(head.subarray(0, nameBytes))
    if (head.length < headBytes || !/^[A-Z0-9]{3,4}$/.test(written)) break
    const size = await frameBytes(body, at, head, version)
    const name = version === 2 ? olderNames[written] : written
    const format = version >= 3 ? head[9]! : 0
    // Compressed and encrypted texts are left out.
    const isPlain = (format & (version === 4 ? 0x0c : 0xc0)) === 0
    if (name && names.includes(name) && isPlain) {
      let content = await body.read(at + headBytes, Math.min(size, longestText))
      if (version === 4 && (format & 0x01) !== 0) content = content.subarray(4)
      if (version === 4 && (format & 0x02) !== 0) content = unescaped(content)
      visit(name, content, version)
    }
    at += headBytes + size
  }
}

/** ID3v2.4 stores seven bits in each byte; some programs stored eight. That size counts which leads to a frame or the end. */
async function frameBytes(
  body: RecordingBytes,
  at: number,
  head: Uint8Array,
  version: number,
): Promise<number> {
  if (version === 2) return (head[3]! << 16) | (head[4]! << 8) | head[5]!
  const plain = viewOf(head).getUint32(4)
  if (version < 4) return plain
  const size = sevenBits(head.subarray(4, 8))
  if (size === plain) return size
  const leads = async (bytes: number) => {
    const next = await body.read(at + 10 + bytes, 4)
    return at + 10 + bytes === body.size || /^(?:[A-Z0-9]{4}|\0{4})$/.test(latinText(next))
  }
  return !(await leads(size)) && (await leads(plain)) ? plain : size
}

const sevenBits = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)

/** Removes the zero bytes that were put behind each 0xff, so that no player takes the tag for sound (ID3v2.3 5). */
function unescaped(bytes: Uint8Array): Uint8Array {
  let to = 0
  const made = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) {
    made[to++] = bytes[at]!
    if (bytes[at] === 0xff && bytes[at + 1] === 0) at++
  }
  return made.subarray(0, to)
}

const inMemory = (bytes: Uint8Array): RecordingBytes => ({
  size: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
})

/** The first value of a text frame, by its byte of encoding. */
function textOf(content: Uint8Array): string {
  const bytes = content.subarray(1)
  const decoded =
    content[0] === 1 || content[0] === 2
      ? decodeUtf16(bytes, content[0] === 2)
      : content[0] === 3
        ? new TextDecoder('utf-8').decode(bytes)
        : decodeSingleBytes(bytes)
  return decoded
    .split('\0')[0]!
    .replace(/^\ufeff/, '')
    .trim()
}

function decodeUtf16(bytes: Uint8Array, isBigEndian: boolean): string {
  const isMarked = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)
  // Without a mark, the order is that in which most characters are of a Latin script.
  const zeros = [0, 1].map((first) => bytes.filter((byte, at) => at % 2 === first && byte === 0).length)
  const isBig = isMarked ? bytes[0] === 0xfe : zeros[0] === zeros[1] ? isBigEndian : zeros[0]! > zeros[1]!
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes)
}

/** UTF-8 if it is valid, since many programs write it where Latin-1 is declared; else Windows-1252. */
function decodeSingleBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The texts of an APEv2 tag, footer included, as those of ID3. */
export function readApe(tag: Uint8Array): Id3Texts {
  const names: Readonly<Record<string, string>> = { title: 'TIT2', artist: 'TPE1', year: 'TDRC' }
  const texts: Id3Texts = new Map()
  let at = latinText(tag.subarray(0, 8)) === 'APETAGEX' && tag.length > 64 ? 32 : 0
  for (let items = 0; at + 9 < tag.length - 32 && items < mostFrames; items++) {
    const bytes = viewOf(tag).getUint32(at, true)
    const end = tag.indexOf(0, at + 8)
    if (end < 0) break
    const name = names[latinText(tag.subarray(at + 8, end)).toLowerCase()]
    if (name)
      texts.set(name, decodeSingleBytes(tag.subarray(end + 1, end + 1 + Math.min(bytes, longestText))))
    at = end + 1 + bytes
  }
  return texts
}

/** The texts of an ID3v1 tag. One that fills its 30 bytes is left out, as it may be cut off. */
export function readId3v1(tag: Uint8Array): Id3Texts {
  const field = (from: number) => {
    const bytes = tag.subarray(from, from + 30)
    const end = bytes.indexOf(0)
    const text = decodeSingleBytes(end < 0 ? bytes : bytes.subarray(0, end)).trim()
    return text.length < 30 ? text : ''
  }
  return new Map([
    ['TIT2', field(3)],
    ['TPE1', field(33)],
  ])
}

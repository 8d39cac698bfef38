import { id3Tag, tagWords, type TaggedTeaching, type TagPicture } from './id3.ts'
import { joined, latin, latinText, utf8, viewOf, type Part, type RecordingBytes } from '../read/bytes.ts'

/**
 * A WAV (RIFF, Microsoft and IBM 1991) with new tags behind its sound: an INFO list, which Windows shows, and an ID3 tag with
 * the picture. Old lists and tags are removed.
 *
 * @returns undefined if its chunks are unexpected
 */
export async function wavWithTags(
  recording: RecordingBytes,
  teaching: TaggedTeaching,
  picture?: TagPicture,
): Promise<Part[] | undefined> {
  const chunks = await chunksOf(recording)
  if (!chunks) return undefined
  const kept = together(chunks.filter(({ isTag }) => !isTag).flatMap(partsOf))
  const parts = [...kept, chunk('LIST', infoList(teaching)), chunk('id3 ', id3Tag(teaching, picture))]
  const bytes = parts.reduce((sum, part) => sum + lengthOf(part), 'WAVE'.length)
  return bytes > mostBytes ? undefined : [joined([latin('RIFF'), uint32(bytes), latin('WAVE')]), ...parts]
}

/** A chunk of a WAV, without its head of eight bytes. */
interface Chunk {
  readonly name: string
  /** Its content. */
  readonly from: number
  readonly to: number
  /** Whether its head declares the actual length. */
  readonly isTrue: boolean
  /** Whether it is an old tag, which is replaced. */
  readonly isTag: boolean
}

const headBytes = 8
/** Recorders write a handful. */
const mostChunks = 64
/** The largest size of 32 bits. */
const mostBytes = 0xffff_ffff

async function chunksOf({ size, read }: RecordingBytes): Promise<Chunk[] | undefined> {
  const head = await read(0, 12)
  if (head.length < 12 || latinText(head.subarray(0, 4)) !== 'RIFF') return undefined
  if (latinText(head.subarray(8)) !== 'WAVE') return undefined
  const chunks: Chunk[] = []
  for (let at = 12; at + headBytes <= size;) {
    const next = chunkAt(at, await read(at, 12), size)
    if (!next || chunks.length === mostChunks) return undefined
    chunks.push(next)
    at = next.to + ((next.to - next.from) % 2)
  }
  return chunks.filter(({ name }) => name === 'data').length === 1 ? chunks : undefined
}

function chunkAt(at: number, first: Uint8Array, size: number): Chunk | undefined {
  const name = latinText(first.subarray(0, 4))
  const declared = viewOf(first).getUint32(4, true)
  const from = at + headBytes
  const isCutOff = from + declared > size
  // The length is 0 or too large if a recorder streamed, or if the file lost its last moment.
  if (name === 'data' && (declared === 0 || isCutOff)) {
    return { name, from, to: size, isTrue: false, isTag: false }
  }
  if (isCutOff) return undefined
  const isTag = name.toLowerCase() === 'id3 ' || (name === 'LIST' && latinText(first.subarray(8)) === 'INFO')
  return { name, from, to: from + declared, isTrue: true, isTag }
}

/** A chunk with its actual length, padded if that is odd. */
function partsOf({ name, from, to, isTrue }: Chunk): Part[] {
  const padding = new Uint8Array((to - from) % 2)
  return isTrue
    ? [{ from: from - headBytes, to }, padding]
    : [joined([latin(name), uint32(to - from)]), { from, to }, padding]
}

/** Joins adjacent stretches, since each may be a request to the bucket. */
function together(parts: readonly Part[]): Part[] {
  const found: Part[] = []
  for (const part of parts) {
    const last = found.at(-1)
    if (lengthOf(part) === 0) continue
    if (last && 'from' in last && 'from' in part && last.to === part.from)
      found[found.length - 1] = { from: last.from, to: part.to }
    else found.push(part)
  }
  return found
}

function chunk(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined([latin(name), uint32(content.length), content, new Uint8Array(content.length % 2)])
}

function infoList(teaching: TaggedTeaching): Uint8Array<ArrayBuffer> {
  const { title, speaker, date, passage, album, genre } = tagWords(teaching)
  const texts = { INAM: title, IART: speaker, ICRD: date, IPRD: album, IGNR: genre, ICMT: passage }
  const items = Object.entries(texts).filter(([, text]) => text !== '')
  return joined([latin('INFO'), ...items.map(([name, text]) => chunk(name, ended(text)))])
}

/** A null-terminated text. */
const ended = (text: string) => joined([utf8(text), new Uint8Array(1)])

function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4)
  viewOf(bytes).setUint32(0, value, true)
  return bytes
}

const lengthOf = (part: Part): number => ('from' in part ? part.to - part.from : part.length)

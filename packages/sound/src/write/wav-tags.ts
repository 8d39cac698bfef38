import { id3Tag, tagWords, type TaggedTeaching, type TagPicture } from './id3.ts'
import { joined, latin, latinText, utf8, viewOf, type Part, type RecordingBytes } from '../read/bytes.ts'

/**
 * A WAV (RIFF, Microsoft and IBM 1991) with what the library says of it behind its sound: a list that Windows shows, and an
 * ID3 tag with the picture. Lists and tags of that kind that it has are left out.
 *
 * @returns undefined where its chunks are not as they should be
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

/** Where the chunks of a WAV lie, behind their heads of eight bytes. */
interface Chunk {
  readonly name: string
  /** Its content. */
  readonly from: number
  readonly to: number
  /** Whether its head says that length. */
  readonly isTrue: boolean
  /** Whether it says what the library says now. */
  readonly isTag: boolean
}

const headBytes = 8
/** Recorders write a handful. */
const mostChunks = 64
/** What a size of 32 bits can say. */
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
  // Recorders that stream leave the length of the sound at its maximum, or at 0; others lose its last moment.
  if (name === 'data' && (declared === 0 || isCutOff)) {
    return { name, from, to: size, isTrue: false, isTag: false }
  }
  if (isCutOff) return undefined
  const isTag = name.toLowerCase() === 'id3 ' || (name === 'LIST' && latinText(first.subarray(8)) === 'INFO')
  return { name, from, to: from + declared, isTrue: true, isTag }
}

/** A chunk as it is, with a true length, and a byte behind an odd one. */
function partsOf({ name, from, to, isTrue }: Chunk): Part[] {
  const padding = new Uint8Array((to - from) % 2)
  return isTrue
    ? [{ from: from - headBytes, to }, padding]
    : [joined([latin(name), uint32(to - from)]), { from, to }, padding]
}

/** Stretches that follow each other as one: each may be a request to where the recording lies. */
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

/** A text with the zero that ends it. */
const ended = (text: string) => joined([utf8(text), new Uint8Array(1)])

function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4)
  viewOf(bytes).setUint32(0, value, true)
  return bytes
}

const lengthOf = (part: Part): number => ('from' in part ? part.to - part.from : part.length)

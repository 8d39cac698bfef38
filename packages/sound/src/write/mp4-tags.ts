import { chapterTitle, chaptersOf } from '@fellowship/schema/chapters/chapters'
import { tagWords, type TaggedTeaching, type TagPicture } from './id3.ts'
import {
  joined,
  latin,
  latinText,
  utf8,
  viewOf,
  type Part,
  type RecordingBytes,
  type Stretch,
} from '../read/bytes.ts'
import { box, boxAt, boxesIn, boxHeadBytes, type Box } from '../read/mp4-boxes.ts'

/** The new tags of a recording. */
export interface Tags {
  readonly teaching: TaggedTeaching
  readonly picture?: TagPicture | undefined
  /** Rewrites the index of an MP4 elsewhere, such as in a worker thread; inline if absent. */
  readonly tagIndex?: IndexTagging
}

/** Adds tags to an index; undefined if its structure is unexpected. */
type IndexTagging = (job: IndexJob) => Promise<Uint8Array<ArrayBuffer> | undefined>

/**
 * An M4A whose index (`moov`) has tags in the format of iTunes. Only the index is read and replaced.
 *
 * @returns undefined if its boxes are unexpected
 */
export async function mp4WithTags(
  recording: RecordingBytes,
  { teaching, picture, tagIndex = async (job) => taggedIndex(job) }: Tags,
): Promise<Part[] | undefined> {
  const boxes = await boxesOf(recording)
  const [index, ...others] = boxes?.filter(({ name }) => name === 'moov') ?? []
  if (!boxes || !index || others.length > 0 || index.to - index.at > mostIndexBytes) return undefined
  const tagged = await tagIndex({
    index: await recording.read(index.at, index.to - index.at),
    at: index.at,
    sound: boxes.filter(({ name }) => name === 'mdat').map(({ from, to }) => ({ from, to })),
    items: tagItems(teaching, picture),
    chapters: chapterBox(teaching),
  })
  if (!tagged) return undefined
  return [{ from: 0, to: index.at }, tagged, { from: index.to, to: recording.size }].filter(isSomething)
}

/** An index of ten hours in frames of 21 milliseconds is smaller. */
const mostIndexBytes = 8 * 1024 * 1024
/** Recorders write a handful. */
const mostBoxes = 64
/** Boxes that contain no file position. If there is any other box, the file is left unchanged. */
const movable = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'uuid']

async function boxesOf({ size, read }: RecordingBytes): Promise<Box[] | undefined> {
  const boxes: Box[] = []
  for (let at = 0; at < size;) {
    const next = boxAt(at, await read(at, boxHeadBytes), size)
    if (!next || !movable.includes(next.name) || boxes.length === mostBoxes) return undefined
    boxes.push(next)
    at = next.to
  }
  return boxes
}

function tagItems(teaching: TaggedTeaching, picture: TagPicture | undefined): Uint8Array<ArrayBuffer> {
  const { title, speaker, date, passage, album, genre } = tagWords(teaching)
  const texts = {
    '©nam': title,
    '©ART': speaker,
    '©alb': album,
    '©day': date,
    '©gen': genre,
    '©cmt': passage,
  }
  const items = Object.entries(texts)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => item(name, kinds.text, utf8(text)))
  return joined(picture ? [...items, item('covr', kinds[picture.mime], picture.bytes)] : items)
}

/** Chapters in the format of Nero, which most players read: starts in units of 100 ns, titles of at most 255 bytes. */
function chapterBox({ chapters }: TaggedTeaching): Uint8Array<ArrayBuffer> {
  const all = chaptersOf(chapters)
  if (all.length === 0) return new Uint8Array()
  const entries = all.map((chapter) => {
    const title = shortText(chapterTitle(chapter))
    const start = new Uint8Array(8)
    viewOf(start).setBigUint64(0, BigInt(chapter.seconds) * 10_000_000n)
    return joined([start, Uint8Array.of(title.length), title])
  })
  return box('chpl', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, all.length), ...entries)
}

/** As much of a text as 255 bytes hold. */
function shortText(text: string): Uint8Array {
  const letters = [...text]
  for (;;) {
    const bytes = utf8(letters.join(''))
    if (bytes.length <= 255) return bytes
    letters.pop()
  }
}

/** Content types of an item, as iTunes numbers them. */
const kinds = { text: 1, 'image/jpeg': 13, 'image/png': 14 } as const

const item = (name: string, kind: number, content: Uint8Array) =>
  box(name, box('data', Uint8Array.of(0, 0, 0, kind, 0, 0, 0, 0), content))

const isSomething = (part: Part) => !('from' in part) || part.to > part.from

/** The index of an MP4 (`moov`), to which tags are given. */
export interface IndexJob {
  readonly index: Uint8Array
  /** Its position in the file. */
  readonly at: number
  /** Positions of the contents of the boxes with sound (`mdat`). */
  readonly sound: readonly Stretch[]
  /** The tags, as the items of an `ilst`. */
  readonly items: Uint8Array
  /** A list of chapters (`chpl`), which replaces that of the recording; empty if it has none of its own. */
  readonly chapters: Uint8Array
}

/**
 * An index with new tags. If it grows before the sound, its positions of the sound are adjusted.
 *
 * @returns undefined if its structure is unexpected, since a wrong position would break playback
 */
export function taggedIndex({
  index,
  at,
  sound,
  items,
  chapters,
}: IndexJob): Uint8Array<ArrayBuffer> | undefined {
  const [whole, ...others] = boxesIn(index, 0, index.length) ?? []
  const boxes = whole && others.length === 0 ? boxesIn(index, whole.from, whole.to) : undefined
  if (!boxes || boxes.some(({ name }) => immovable.includes(name))) return undefined
  const parts: Uint8Array[] = []
  const notes: Uint8Array[] = []
  const own: Uint8Array[] = []
  for (const each of boxes) {
    if (each.name === 'udta') {
      const found = notesOf(index, each, chapters.length > 0)
      if (!found) return undefined
      notes.push(...found.notes)
      own.push(...found.items)
    } else if (each.name !== 'meta') parts.push(bytesOf(index, each))
    // QuickTime tags. Any other `meta` box refers to positions in the file.
    else if (handlerOf(index, each) !== 'mdta') return undefined
  }
  const list = box('ilst', ...own, items)
  const made = box(
    'moov',
    ...parts,
    box('udta', ...notes, chapters, box('meta', new Uint8Array(4), handler, list)),
  )
  return movePlaces(made, { at, sound, by: made.length - index.length }) ? made : undefined
}

/** Boxes of fragmented, compressed or externally stored recordings. */
const immovable = ['mvex', 'cmov', 'iloc']

/** The handler of tag lists in the format of iTunes. */
const handler = box('hdlr', new Uint8Array(8), latin('mdirappl'), new Uint8Array(9))

/** Other user data of an index, and the tag items about the sound: gapless playback and the encoder. */
function notesOf(
  index: Uint8Array,
  udta: Box,
  hasChapters: boolean,
): { notes: Uint8Array[]; items: Uint8Array[] } | undefined {
  const boxes = boxesIn(index, udta.from, udta.to)
  if (!boxes) return undefined
  const items: Uint8Array[] = []
  for (const meta of boxes.filter(({ name }) => name === 'meta')) {
    const parts = metaBoxes(index, meta)
    if (!parts) return undefined
    for (const list of parts.filter(({ name }) => name === 'ilst')) {
      const found = boxesIn(index, list.from, list.to)
      if (!found) return undefined
      items.push(...found.filter(({ name }) => kept.includes(name)).map((item) => bytesOf(index, item)))
    }
  }
  const notes = boxes.filter(
    ({ name }) => name !== 'meta' && !isTag(name) && !(hasChapters && name === 'chpl'),
  )
  return { notes: notes.map((note) => bytesOf(index, note)), items }
}

const kept = ['----', '©too']

/** Text tags of QuickTime and of phones. */
const isTag = (name: string) =>
  name.startsWith('©') || ['titl', 'auth', 'perf', 'albm', 'yrrc', 'gnre', 'dscp'].includes(name)

/** The `meta` box of QuickTime has no version before its boxes. */
function metaBoxes(index: Uint8Array, { from, to }: Box): Box[] | undefined {
  const isQuickTime = latinText(index.subarray(from + 4, from + 8)) === 'hdlr'
  return boxesIn(index, isQuickTime ? from : from + 4, to)
}

function handlerOf(index: Uint8Array, meta: Box): string | undefined {
  const found = metaBoxes(index, meta)?.find(({ name }) => name === 'hdlr')
  return found && latinText(index.subarray(found.from + 8, found.from + 12))
}

const bytesOf = (index: Uint8Array, { at, to }: Box): Uint8Array => index.subarray(at, to)

interface Move {
  readonly at: number
  readonly sound: readonly Stretch[]
  readonly by: number
}

/** Adjusts the positions of sound behind the index; false if a position is outside the sound or too large. */
function movePlaces(index: Uint8Array, move: Move): boolean {
  const tracks = boxesIn(index, 8, index.length)!.filter(({ name }) => name === 'trak')
  return tracks.length > 0 && tracks.every((track) => movedTrack(index, track, move))
}

function movedTrack(index: Uint8Array, track: Box, move: Move): boolean {
  const tables = ['mdia', 'minf', 'stbl'].reduce<Box | undefined>(
    (inside, name) => inside && boxesIn(index, inside.from, inside.to)?.find((each) => each.name === name),
    track,
  )
  const boxes = tables && boxesIn(index, tables.from, tables.to)
  // `saio` has the positions of encrypted sound.
  if (!boxes || boxes.some(({ name }) => name === 'saio')) return false
  const places = boxes.filter(({ name }) => name === 'stco' || name === 'co64')
  return places.length === 1 && movedPlaces(index, places[0]!, move)
}

function movedPlaces(index: Uint8Array, { name, from, to }: Box, { at, sound, by }: Move): boolean {
  const bytes = name === 'stco' ? 4 : 8
  if (to - from < 8) return false
  const view = viewOf(index.subarray(from, to))
  const end = 8 + view.getUint32(4) * bytes
  if (end > view.byteLength) return false
  for (let place = 8; place < end; place += bytes) {
    const old = bytes === 4 ? view.getUint32(place) : Number(view.getBigUint64(place))
    if (!sound.some((stretch) => old >= stretch.from && old < stretch.to)) return false
    const value = old > at ? old + by : old
    if (bytes === 8) view.setBigUint64(place, BigInt(value))
    else if (value > 0xffff_ffff) return false
    else view.setUint32(place, value)
  }
  return true
}

import { tagWords, type TaggedTeaching, type TagPicture } from './id3.ts'
import { joined, utf8, type Part, type RecordingBytes } from '../read/bytes.ts'
import { box, boxAt, boxHeadBytes, type Box } from '../read/mp4-boxes.ts'
import { taggedIndex, type IndexJob } from './mp4-index.ts'

/** What a recording is given to carry. */
export interface Tags {
  readonly teaching: TaggedTeaching
  readonly picture?: TagPicture | undefined
  /** Where the index of an MP4 is read; here, where it is not said. */
  readonly tagIndex?: IndexTagging
}

/** Gives tags to an index; undefined where it is not built as it should be. */
type IndexTagging = (job: IndexJob) => Promise<Uint8Array<ArrayBuffer> | undefined>

/**
 * An M4A whose index (`moov`) has the tags that iTunes writes. Only the index is read and sent anew.
 *
 * @returns undefined where its boxes are not as they should be
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
  })
  if (!tagged) return undefined
  return [{ from: 0, to: index.at }, tagged, { from: index.to, to: recording.size }].filter(isSomething)
}

/** Ten hours in frames of 21 milliseconds need less. */
const mostIndexBytes = 8 * 1024 * 1024
/** Recorders write a handful. */
const mostBoxes = 64
/** Boxes that refer to no place in the file; where there is another, it is left as it is. */
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

/** How iTunes numbers what an item holds. */
const kinds = { text: 1, 'image/jpeg': 13, 'image/png': 14 } as const

const item = (name: string, kind: number, content: Uint8Array) =>
  box(name, box('data', Uint8Array.of(0, 0, 0, kind, 0, 0, 0, 0), content))

const isSomething = (part: Part) => !('from' in part) || part.to > part.from

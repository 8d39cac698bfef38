import { isPlainDate } from '@fellowship/schema/dates'
import type { TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { isRecorderName } from '@fellowship/schema/uploads/parse-filename'
import { blobBytes, latinText, type BlobLike, type RecordingBytes } from './bytes.ts'
import { readContainerTags } from './container.ts'
import { readApe, readId3, readId3Chapters, readId3v1, type Id3Chapter, type Id3Texts } from './id3-text.ts'
import { findTags, type FoundTag } from './mp3-tags.ts'

/** Title, speaker and date from the tags of a recording; a field is absent if its tag is. */
export type RecordingTags = Partial<Pick<TeachingText, 'title' | 'speaker' | 'date'>>

/**
 * Reads title, artist and date from ID3, APE, MP4 and WAV tags, the first of each that is given. Default names of recorders
 * ('New Recording 12') are skipped, and so are a date that is only a year, and texts that were decoded wrongly before they
 * were written. Never rejects: if no tags can be read, the result is empty.
 */
export async function readTags(file: BlobLike): Promise<RecordingTags> {
  const { title, artist, date } = await tagsOf(blobBytes(file)).catch((): Tags => ({}))
  const day = date?.slice(0, 10)
  return {
    ...(isSaid(title) && { title: title.trim() }),
    ...(isSaid(artist) && { speaker: artist.trim() }),
    ...(day !== undefined && isPlainDate(day) && { date: day }),
  }
}

/** The chapters of an MP3 by its first ID3v2 tag that has any. */
export async function readChapters(recording: RecordingBytes): Promise<Id3Chapter[]> {
  const { leading } = await findTags(recording)
  for (const { kind, from, to } of leading) {
    const found = kind === 'ID3v2' ? await readId3Chapters(recording, from, to - from) : []
    if (found.length > 0) return found
  }
  return []
}

interface Tags {
  readonly title?: string | undefined
  readonly artist?: string | undefined
  readonly date?: string | undefined
}

async function tagsOf(recording: RecordingBytes): Promise<Tags> {
  const { leading, trailing } = await findTags(recording)
  if (leading.length + trailing.length === 0) return readContainerTags(recording)
  const all: Id3Texts[] = []
  for (const tag of [...leading, ...[...trailing].reverse()]) all.push(await textsOf(recording, tag))
  const text = (name: string) => all.map((texts) => texts.get(name)).find(Boolean)
  const [year, dayAndMonth] = [text('TYER'), text('TDAT')]
  const older = year && dayAndMonth && `${year}-${dayAndMonth.slice(2, 4)}-${dayAndMonth.slice(0, 2)}`
  return { title: text('TIT2'), artist: text('TPE1'), date: text('TDRC') ?? text('TDRL') ?? older }
}

const none: Id3Texts = new Map()

async function textsOf(recording: RecordingBytes, { kind, from, to }: FoundTag): Promise<Id3Texts> {
  if (kind === 'ID3v2') {
    // At the end of a file it begins with a header, too.
    const isHeader = latinText(await recording.read(from, 3)) === 'ID3'
    return isHeader ? readId3(recording, from, to - from) : none
  }
  if (kind === 'Lyrics3') return none
  const bytes = await recording.read(from, Math.min(to - from, largestTag))
  return kind === 'APE' ? readApe(bytes) : readId3v1(bytes)
}

const largestTag = 1 << 20

const isSaid = (text: string | undefined): text is string =>
  text !== undefined &&
  /\p{L}{2}/u.test(text) &&
  !isRecorderName(text) &&
  !unknown.test(text.trim()) &&
  !looksDamaged.test(text)

const unknown = /^(?:unknown(?: artist)?|various(?: artists)?|untitled|artist|title)$/i

/** Characters that stand for lost ones, and UTF-8 that was read as Latin-1: 'Ã©', 'â€™'. */
const looksDamaged = /[\ufffd\u0080-\u009f]|\p{Co}|[ÂÃ][\u00a0-\u00bf]|â€/u

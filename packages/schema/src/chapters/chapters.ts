import { chapterLimits as limits } from './chapters.limits.ts'
import { chapterTexts as texts } from './chapters.texts.ts'

/** A part of a recording, from its first second to the next chapter. */
export interface Chapter {
  /** Whole seconds of the counted length. */
  readonly seconds: number
  /** Empty only if the teaching starts here. */
  readonly title: string
  /** Whether the teaching starts here; of one chapter at most. */
  readonly isTeaching: boolean
}

/*
 * Chapters are one word of a teaching, so that forms, outbox, conflicts, sync and backup carry them like any other: a line for
 * each, such as '12:30 The good shepherd (teaching starts here)'.
 */

const mark = '(teaching starts here)'
const line = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?:\s+(.*))?$/

/** The sentence about the first fault of a text; undefined if it is fine or empty. */
export function chaptersFault(text: string): string | undefined {
  if (text === '') return undefined
  const read = text.split('\n').map(chapterOf)
  if (read.length > limits.most) return texts.tooMany
  const broken = read.findIndex((chapter) => chapter === undefined)
  if (broken >= 0) return texts.line(broken + 1)
  const chapters = read as Chapter[]
  const late = chapters.findIndex(({ seconds }, at) => at > 0 && seconds <= chapters[at - 1]!.seconds)
  if (late >= 0) return texts.order(late + 1)
  return chapters.filter(({ isTeaching }) => isTeaching).length > 1 ? texts.oneTeaching : undefined
}

/** The chapters of a text, in order; none if it has a fault. */
export const chaptersOf = (text: string | null | undefined): Chapter[] =>
  text && chaptersFault(text) === undefined ? text.split('\n').map((each) => chapterOf(each)!) : []

/** The text of chapters: sorted, and without those that are too many or at the same second as another one. */
export function chapterLines(chapters: readonly Chapter[]): string {
  const sorted = [...chapters].sort((a, b) => a.seconds - b.seconds)
  const found = new Map<number, Chapter>()
  for (const chapter of sorted) if (!found.has(chapter.seconds)) found.set(chapter.seconds, chapter)
  return [...found.values()].slice(0, limits.most).map(lineOf).join('\n')
}

const lineOf = ({ seconds, title, isTeaching }: Chapter): string =>
  [timeOf(seconds), title, isTeaching ? mark : ''].filter(Boolean).join(' ')

/** The title as it is shown. */
export const chapterTitle = ({ title }: Pick<Chapter, 'title'>): string => title || texts.teaching

/** The number of the chapter that plays at this second; -1 before the first one. */
export const chapterAt = (chapters: readonly Chapter[], position: number): number =>
  chapters.findLastIndex(({ seconds }) => seconds <= position)

/** The second at which the teaching starts; undefined if that is unknown or the beginning. */
export const teachingStart = (chapters: readonly Chapter[]): number | undefined =>
  chapters.find(({ isTeaching }) => isTeaching)?.seconds || undefined

/**
 * The text after the recording was cut at its start, or for a negative number of seconds begins earlier. A chapter that began
 * in the part that was cut off begins with the recording, unless the next one does.
 */
export function movedChapters(text: string | null, by: number, length: number): string {
  const moved = chaptersOf(text).map((each) => ({ ...each, seconds: Math.round(each.seconds - by) }))
  const before = moved.findLast(({ seconds }) => seconds <= 0)
  const inside = moved.filter(({ seconds }) => seconds > 0 && seconds < length)
  return chapterLines(before ? [{ ...before, seconds: 0 }, ...inside] : inside)
}

/** The first chapter that begins after the recording has ended. */
export const beyondEnd = (chapters: readonly Chapter[], length: number): Chapter | undefined =>
  chapters.find(({ seconds }) => seconds >= length)

/** A line as it is typed: neither its time nor its title has to be right. */
export interface TypedChapter {
  readonly time: string
  readonly title: string
  readonly isTeaching: boolean
}

/** The lines of a text, for a form. */
export const typedChapters = (text: string): TypedChapter[] =>
  text === ''
    ? []
    : text.split('\n').map((each) => {
        const isTeaching = each.endsWith(` ${mark}`)
        const [time = '', ...title] = (isTeaching ? each.slice(0, -mark.length - 1) : each).split(' ')
        return { time, title: title.join(' '), isTeaching }
      })

/** The text of the lines of a form. */
export const typedText = (chapters: readonly TypedChapter[]): string =>
  chapters
    .map(({ time, title, isTeaching }) => `${time.trim()} ${title}${isTeaching ? ` ${mark}` : ''}`)
    .join('\n')

/** The same in the order of their times, if all of these are right. */
export function inOrderOfTime(chapters: readonly TypedChapter[]): TypedChapter[] {
  const timed = chapters.map((chapter) => ({ chapter, at: chapterOf(`${chapter.time} x`)?.seconds }))
  if (timed.some(({ at }) => at === undefined)) return [...chapters]
  return timed.sort((a, b) => a.at! - b.at!).map(({ chapter }) => chapter)
}

function chapterOf(text: string): Chapter | undefined {
  const [, hours = '', minutes = '', seconds = '', rest = ''] = line.exec(text.trim()) ?? []
  if (seconds === '' || (hours !== '' && Number(minutes) > 59)) return undefined
  const isTeaching = rest.endsWith(mark)
  const title = (isTeaching ? rest.slice(0, -mark.length) : rest).trim()
  if (title.length > limits.title || (title === '' && !isTeaching)) return undefined
  return { seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), title, isTeaching }
}

function timeOf(seconds: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

import { isPlainDate } from '../dates.ts'
import { readScripture } from '../scripture.ts'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { cleanFileName } from './clean-filename.ts'
import { fileNameTexts as texts } from './file-name.texts.ts'
import { maxFileNameLength } from './uploads.limits.ts'
import type { ParsedFilename } from './uploads.schema.ts'

/**
 * Parses the filename convention YYYY-MM-DD_FirstName-LastName"Title"_Scripture.ext, with title or scripture or both.
 * Accepts the name as any client sends it: with a path, curly or fullwidth quotes, %22, or two apostrophes if the system
 * allows no quotes. `isValid` is false with one sentence per broken rule; fields are filled in if they could be parsed, so
 * that a person corrects only the rest. Never throws.
 */
export function parseFilename(name: string): ParsedFilename {
  if (name.length > maxFileNameLength) return refused(texts.tooLong)
  const errors: string[] = []
  const { stem, extension, hadHiddenCharacters } = cleanFileName(name)
  if (hadHiddenCharacters) errors.push(texts.hiddenCharacters)

  const { date, rest, error: dateError } = takeDate(stem)
  if (dateError) errors.push(dateError)

  const split = splitQuoted(rest) ?? splitUnquoted(rest)
  const parts =
    isRecorderName(rest) || (dateError && !hasShape(split))
      ? { speaker: '', title: '', scripture: namesBook(split.scripture) ? split.scripture : '' }
      : split
  const speaker = readSpeaker(parts.speaker)
  if (!/\p{L}/u.test(speaker)) errors.push(texts.noSpeaker)
  if (parts.namesUnjoined) errors.push(texts.namesNotJoined)
  if (illegal.test(speaker)) errors.push(texts.illegalCharacters('Speaker'))
  if (speaker.length > teachingLimits.speaker) errors.push(texts.speakerTooLong(teachingLimits.speaker))

  const title = spaced(parts.title)
  if (parts.titleUnquoted) errors.push(texts.titleNotQuoted)
  if (illegal.test(title)) errors.push(texts.illegalCharacters('Title'))
  if (title.length > teachingLimits.title) errors.push(texts.titleTooLong(teachingLimits.title))

  const writtenScripture = spaced(parts.scripture)
  const scripture = writtenScripture === '' ? undefined : readScripture(parts.scripture)
  if (scripture && 'kind' in scripture) errors.push(texts.scripture(scripture))
  const scriptureReference = scripture && !('kind' in scripture) ? scripture.display : writtenScripture
  if (scriptureReference.length > teachingLimits.scriptureReference) {
    errors.push(texts.scriptureTooLong(teachingLimits.scriptureReference))
  }
  if (title === '' && writtenScripture === '') errors.push(texts.noTitleOrScripture)
  if (extension === undefined) errors.push(texts.extension)

  return { title, speaker, scriptureReference, date, isValid: errors.length === 0, errors }
}

/** Characters that Windows forbids in file names, but for the quotes of the convention. */
const illegal = /[<>:|?*/\\]/

function refused(sentence: string): ParsedFilename {
  return { title: '', speaker: '', scriptureReference: '', date: '', isValid: false, errors: [sentence] }
}

function takeDate(stem: string): { date: string; rest: string; error?: string } {
  const written = /^(\d{4}-\d{2}-\d{2})(?=[_ ]|$)/.exec(stem)?.[1]
  if (written === undefined) {
    // Digits in place of the date, such as 22.11.2026_ or 20261122_, are not part of the speaker's name.
    return { date: '', rest: stem.replace(/^[\d\-._ /]+/, ''), error: texts.noDate }
  }
  const rest = stem.slice(written.length).replace(/^[_ ]+/, '')
  return isPlainDate(written) ? { date: written, rest } : { date: '', rest, error: texts.notADate(written) }
}

/**
 * If a name has no date, speaker and title are parsed only if the rest has the shape of the convention: `passwd` or
 * `My file` are not speakers.
 */
const hasShape = ({ title, scripture, titleUnquoted }: Parts): boolean =>
  scripture !== '' || (title !== '' && !titleUnquoted)

/** Whether this begins with a book of the Bible, whatever its chapter and verse. */
function namesBook(scripture: string): boolean {
  const read = readScripture(scripture)
  return !('kind' in read) || (read.kind !== 'book' && read.kind !== 'form')
}

/** As phones, recorders and meeting programs name files by themselves, such as 'IMG_0012', 'New Recording 12', 'zoom_0'. */
export const isRecorderName = (rest: string): boolean => recorderWord.test(rest) && !quotes(rest)

const recorderWord =
  /^(?:new[\s_-]*)?(?:audio|aud|dji|dr-?\d|gmt|img|memo|mov|ptt|rec|record|recording|recorder|sermon|service|sound|tascam|track|untitled|vid|video|vn|voice|whatsapp|zoom|zm)(?:[\s\d_.()-]|$)/i

interface Parts {
  speaker: string
  title: string
  scripture: string
  titleUnquoted?: boolean
  namesUnjoined?: boolean
}

/** Speaker"Title"_Scripture. The title reaches from the first quote to the last: titles may contain quotes. */
function splitQuoted(rest: string): Parts | undefined {
  const [open, close] = quotes(rest) ?? []
  if (!open || !close) return undefined
  return {
    speaker: rest.slice(0, open.at),
    title: rest.slice(open.at + open.length, close.at),
    scripture: rest.slice(close.at + close.length),
  }
}

/** Speaker_Scripture. Text between them can only be a title that should have been quoted. */
function splitUnquoted(rest: string): Parts {
  const loneQuote = [anyQuote, doubledApostrophe].some((kind) => rest.search(kind) >= 0)
  const words = rest.replace(anyQuote, '_').replace(doubledApostrophe, '_').split(/_+/)
  const speaker = words[0] ?? ''
  const tail = words.slice(1).join('_')
  for (let start = 1; start < words.length; start++) {
    const scripture = words.slice(start).join('_')
    if (!couldBeScripture(scripture, speaker, start) || 'kind' in readScripture(scripture)) continue
    const title = words.slice(1, start).join('_')
    return withUnquoted({ speaker, title, scripture }, loneQuote)
  }
  // With trailing numbers it was meant as a reference: the reason why that is invalid helps more than the title rule.
  if (!loneQuote && likeReference.test(tail)) return { speaker, title: '', scripture: tail }
  return withUnquoted({ speaker, title: tail, scripture: '' }, loneQuote)
}

/** One word after a single name is more likely its last name, as in 'John_Smith_John_3_16', than a title. */
function withUnquoted(parts: Parts, loneQuote: boolean): Parts {
  const { speaker, title } = parts
  if (loneQuote || !/^\p{L}+$/u.test(title) || speaker.includes('-')) {
    return { ...parts, titleUnquoted: loneQuote || title !== '' }
  }
  return { ...parts, speaker: `${speaker} ${title}`, title: '', namesUnjoined: true }
}

/** A book without a number may be a name, as in 'John_Mark'. After first and last name it is a book. */
const couldBeScripture = (text: string, speaker: string, start: number) =>
  /\d/.test(text) || (start === 1 && speaker.includes('-'))

const likeReference = /^(?:[123][\s_-]*)?\p{L}[\p{L}\s_]*[\s_]\d[\d_\-:]*$/u

interface Mark {
  readonly at: number
  readonly length: number
}

const anyQuote = /["“”„‟″＂]/g
/** Two apostrophes, accents or backticks, as written if a system allows no quotes. */
const doubledApostrophe = /''|‘‘|’’|``|´´/g

/** First and last quote of the strongest kind present, so that "…''…" and "…'…" keep their inner ones. */
function quotes(rest: string): [Mark, Mark] | undefined {
  for (const kind of [anyQuote, doubledApostrophe]) {
    const marks = [...rest.matchAll(kind)].map((m) => ({ at: m.index, length: m[0].length }))
    const [first, last] = [marks[0], marks.at(-1)]
    if (first && last && first !== last) return [first, endOfRun(rest, last)]
  }
  return singleQuotes(rest)
}

/** In "disciples'''" the first apostrophe belongs to the word. */
function endOfRun(rest: string, { at, length }: Mark): Mark {
  let start = at
  while (length === 2 && rest[start + length] === rest[at]) start++
  return { at: start, length }
}

/**
 * 'Title' or ‘Title’: the first opens after a whole name or its underscore (O'Brien's comes after one letter), the last
 * closes at the end of a part.
 */
function singleQuotes(rest: string): [Mark, Mark] | undefined {
  const marks = [...rest.matchAll(/['‘’]/g)].map((m) => ({ at: m.index, length: 1 }))
  const open = marks.find(({ at }) => /^[^_]*(?:\p{L}{3}|_)$/u.test(rest.slice(0, at)))
  const close = marks.findLast(({ at }) => /^(?:_|$)/.test(rest.slice(at + 1)))
  return open && close && close.at - open.at > 1 ? [open, close] : undefined
}

/** Hyphens, underscores and spaces separate names; a double hyphen is part of a name (Anne--Marie-Smith). */
function readSpeaker(text: string): string {
  return text
    .split('--')
    .map((part) => part.replace(/[-_\s]+/g, ' '))
    .join('-')
    .replace(/^[\s-]+|[\s-]+$/g, '')
}

const spaced = (text: string) => text.replace(/[_\s]+/g, ' ').trim()

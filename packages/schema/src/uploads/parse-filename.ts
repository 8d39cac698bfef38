import { isPlainDate } from '../dates.ts'
import { isBookName, readScripture } from '../scripture.ts'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { cleanFileName } from './clean-filename.ts'
import { type Doubt, doubtsOfDate, doubtsOfSpeaker, doubtsOfText } from './doubts.ts'
import { fileNameTexts as texts } from './file-name.texts.ts'
import { looksMisread, readingsOf, withoutEntities } from './repair-name.ts'
import { maxFileNameLength } from './uploads.limits.ts'
import type { ParsedFilename } from './uploads.schema.ts'

/** A file name as it was read: the fields, and each reason to ask before they are published. */
export interface ReadName extends Pick<ParsedFilename, 'title' | 'speaker' | 'scriptureReference' | 'date'> {
  readonly doubts: readonly Doubt[]
}

/**
 * Parses the filename convention YYYY-MM-DD_FirstName-LastName"Title"_Scripture.ext, with title or scripture or both.
 * Accepts the name as any client sends it: with a path, quotes of any script, %22, or two apostrophes if the system allows
 * no quotes; damaged characters are restored if that is certain. `isValid` is false with one sentence per
 * broken rule or doubt; fields are filled in if they could be parsed, so that a person corrects only the rest. Never throws.
 *
 * @param today the church's date, YYYY-MM-DD: a date more than a day ahead is doubtful
 */
export function parseFilename(name: string, today: string): ParsedFilename {
  const { doubts, ...fields } = readName(name, today)
  return { ...fields, isValid: doubts.length === 0, errors: doubts.map(({ sentence }) => sentence) }
}

/** As `parseFilename`, with the field that each sentence is about. */
export function readName(name: string, today: string): ReadName {
  if (name.length > maxFileNameLength) {
    const doubts: Doubt[] = [{ about: 'name', sentence: texts.tooLong }]
    return { title: '', speaker: '', scriptureReference: '', date: '', doubts }
  }
  const { stem, hasEnding, hadHiddenCharacters } = cleanFileName(name)
  const { text, hadEntities } = withoutEntities(stem)
  const before: Doubt[] = []
  if (hadHiddenCharacters) before.push({ about: 'name', sentence: texts.hiddenCharacters })
  if (hadEntities) before.push({ about: 'name', sentence: texts.entities })
  if (looksMisread(text)) before.push({ about: 'name', sentence: texts.misread })
  const after: Doubt[] = hasEnding ? [] : [{ about: 'name', sentence: texts.extension }]
  // The reading with the fewest doubts; a tie is for the first.
  return readingsOf(text)
    .map((reading) => readStem(reading, today))
    .map((read) => ({ ...read, doubts: [...before, ...read.doubts, ...after] }))
    .reduce((best, other) => (other.doubts.length < best.doubts.length ? other : best))
}

function readStem(stem: string, today: string): ReadName {
  const doubts: Doubt[] = []
  const doubt = (about: Doubt['about'], sentence: string) => doubts.push({ about, sentence })
  const { date, rest: timed, error: dateError } = takeDate(stem)
  if (dateError) doubt('date', dateError)
  doubts.push(...doubtsOfDate(date, today))

  const rest = timed.replace(serviceTime, '')
  const split = splitQuoted(rest) ?? splitUnquoted(rest)
  const parts: Parts =
    isRecorderName(rest) || (dateError && !hasShape(split))
      ? { speaker: '', title: '', scripture: namesBook(split.scripture) ? split.scripture : '' }
      : split
  const speaker = readSpeaker(parts.speaker)
  if (!/\p{L}/u.test(speaker)) doubt('speaker', texts.noSpeaker)
  if (parts.namesUnjoined) doubt('speaker', texts.namesNotJoined)
  if (parts.scriptureMisplaced) doubt('scriptureReference', texts.scriptureInSpeaker)
  if (illegal.test(speaker)) doubt('speaker', texts.illegalCharacters('Speaker'))
  if (speaker.length > teachingLimits.speaker) doubt('speaker', texts.speakerTooLong(teachingLimits.speaker))
  doubts.push(...doubtsOfSpeaker(speaker), ...doubtsOfText('speaker', speaker))

  const title = spaced(parts.title)
  if (parts.titleUnquoted) doubt('title', texts.titleNotQuoted)
  if (illegal.test(title)) doubt('title', texts.illegalCharacters('Title'))
  if (title.length > teachingLimits.title) doubt('title', texts.titleTooLong(teachingLimits.title))
  doubts.push(...doubtsOfText('title', title))

  const writtenScripture = spaced(parts.scripture)
  const scripture = writtenScripture === '' ? undefined : readScripture(parts.scripture)
  const copyNumber = copyNumberOf(parts.scripture)
  if (copyNumber) doubt('name', texts.copyNumber)
  else if (scripture && 'kind' in scripture) doubt('scriptureReference', texts.scripture(scripture))
  const scriptureReference = scripture && !('kind' in scripture) ? scripture.display : writtenScripture
  if (scriptureReference.length > teachingLimits.scriptureReference) {
    doubt('scriptureReference', texts.scriptureTooLong(teachingLimits.scriptureReference))
  }
  doubts.push(...doubtsOfText('scriptureReference', writtenScripture))
  if (title === '' && writtenScripture === '') doubt('either', texts.noTitleOrScripture)
  return { title, speaker, scriptureReference, date, doubts }
}

/** The time of a service or a recording between date and speaker: '1030_', '10-30_', '10.30am ', '7pm_', 'AM_'. */
const serviceTime =
  /^(?:(?:[01]?\d|2[0-3])[.:h_-][0-5]\d(?:[.:_-][0-5]\d)?(?:\s?[ap]\.?m\.?|h)?|(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?:\s?[ap]\.?m\.?|h|hrs?)?|(?:1[0-2]|0?[1-9])\s?[ap]\.?m\.?|[ap]\.?m\.?(?![-\p{L}]))(?:[_\s]+|-(?=\p{L})|$)/iu

/** As macOS marks a second copy: '_Romans_8 2' is not verse 2. */
const copyNumberOf = (scripture: string): boolean => /\p{L}_\d[^ ]* \d{1,2}$/u.test(scripture.trim())

/** Characters that Windows forbids in file names, but for the quotes of the convention. */
const illegal = /[<>:|?*/\\]/

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
  /** Scripture stood beside the speaker, and it is not certain to which of them each word belongs. */
  scriptureMisplaced?: boolean
}

/** Speaker"Title"_Scripture. The title reaches from the first quote to the last: titles may contain quotes. */
function splitQuoted(rest: string): Parts | undefined {
  const [open, close] = quotes(rest) ?? []
  if (!open || !close) return undefined
  return withoutScriptureInSpeaker({
    speaker: rest.slice(0, open.at),
    title: rest.slice(open.at + open.length, close.at),
    scripture: rest.slice(close.at + close.length),
  })
}

/** Moves a reference from beside the speaker to its place, as in 'John-Smith_Romans_8"Order"'. */
function withoutScriptureInSpeaker(parts: Parts): Parts {
  const found = scriptureBeside(parts.speaker)
  if (!found) return parts
  const hasOther = spaced(parts.scripture) !== ''
  const isCertain = found.isCertain && !hasOther
  const scripture = hasOther ? parts.scripture : found.scripture
  return { ...parts, speaker: found.speaker, scripture, ...(!isCertain && { scriptureMisplaced: true }) }
}

/**
 * A reference with a number behind or before a speaker; a book without one only behind first and last name. Uncertain if a
 * hyphen joins it to a single name, which may be a first name before 'John' or 'James'.
 */
function scriptureBeside(
  text: string,
): { speaker: string; scripture: string; isCertain: boolean } | undefined {
  const gaps = [...text.matchAll(/[-_\s]+/g)].map((gap) => ({ at: gap.index, mark: gap[0] }))
  for (const { at, mark } of gaps) {
    const [speaker, scripture] = [text.slice(0, at), text.slice(at + mark.length)]
    if (!/\p{L}/u.test(speaker)) continue
    const isJoined = mark === '-' && !/[-_\s]/.test(speaker)
    if (isReference(scripture)) return { speaker, scripture, isCertain: !isJoined }
    if (mark !== '-' && speaker.includes('-') && isBookName(spaced(scripture)))
      return { speaker, scripture, isCertain: true }
  }
  for (const { at, mark } of gaps.reverse()) {
    const [scripture, speaker] = [text.slice(0, at), text.slice(at + mark.length)]
    if (/\p{L}/u.test(speaker) && isReference(scripture))
      return { speaker, scripture, isCertain: mark !== '-' }
  }
  return isReference(text) ? { speaker: '', scripture: text, isCertain: true } : undefined
}

/** Whether this is a book with a chapter. */
const isReference = (text: string): boolean => /\p{L}.*\d/u.test(text) && !('kind' in readScripture(text))

/** Speaker_Scripture. Text between them can only be a title that should have been quoted. */
function splitUnquoted(rest: string): Parts {
  const loneQuote = loneQuotes.some((kind) => rest.search(kind) >= 0)
  const words = loneQuotes.reduce((text, kind) => text.replace(kind, '_'), rest).split(/_+/)
  const before = loneQuote ? undefined : scriptureBefore(words)
  if (before) return before
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

/** 'Romans_8_28_John-Smith': a reference before first and last name. */
function scriptureBefore(words: readonly string[]): Parts | undefined {
  const speaker = words.at(-1) ?? ''
  const scripture = words.slice(0, -1).join('_')
  return /^\p{L}[^\d]*-\p{L}/u.test(speaker) && isReference(scripture)
    ? { speaker, title: '', scripture }
    : undefined
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
/** Opening and closing quotes of other scripts and languages; some languages turn them round. */
const quotePairs = [
  '«»',
  '»«',
  '»»',
  '‹›',
  '›‹',
  '「」',
  '『』',
  '｢｣',
  '《》',
  '〈〉',
  '〝〞',
  '〝〟',
  '﹁﹂',
  '﹃﹄',
  '❝❞',
  '״״',
  '‚‘',
  '‚’',
]
const bracketQuote = /[«»‹›「」『』｢｣《》〈〉〝〞〟﹁﹂﹃﹄❝❞‚]/g
const loneQuotes = [anyQuote, doubledApostrophe, bracketQuote]

/**
 * First and last quote of the strongest kind present, so that "…''…" and "…'…" keep their inner ones. A pair of another
 * script comes first if it opens before.
 */
function quotes(rest: string): [Mark, Mark] | undefined {
  const pair = quotePair(rest)
  for (const kind of [anyQuote, doubledApostrophe]) {
    const marks = [...rest.matchAll(kind)].map((m) => ({ at: m.index, length: m[0].length }))
    const [first, last] = [marks[0], marks.at(-1)]
    if (pair && first && pair[0].at < first.at) return pair
    if (first && last && first !== last) return [first, endOfRun(rest, last)]
  }
  return pair ?? singleQuotes(rest)
}

/** The pair that opens first. */
function quotePair(rest: string): [Mark, Mark] | undefined {
  const found = quotePairs.flatMap(([open = '', close = '']): [Mark, Mark][] => {
    const [first, last] = [rest.indexOf(open), rest.lastIndexOf(close)]
    return first >= 0 && last > first
      ? [
          [
            { at: first, length: 1 },
            { at: last, length: 1 },
          ],
        ]
      : []
  })
  return found.sort(([a], [b]) => a.at - b.at)[0]
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

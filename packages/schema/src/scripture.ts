import { type Book, canonicalBooks } from './scripture-books.ts'
import { foldAccents } from './text-folding.ts'

export { canonicalBooks } from './scripture-books.ts'

/** From one verse to another, both included, each as book × 1 000 000 + chapter × 1 000 + verse. */
export interface ScriptureRange {
  readonly start: number
  readonly end: number
}

export interface Scripture {
  /** In the order they were written; a whole chapter ends at verse 999, a whole book at chapter 999. */
  readonly ranges: readonly ScriptureRange[]
  /** 'Romans 8:28-39; 1 John 4:7' */
  readonly display: string
}

/** Why a text is not a reference; the caller writes the sentence. */
export type ScriptureProblem =
  | { readonly kind: 'form' }
  | { readonly kind: 'book'; readonly book: string }
  | { readonly kind: 'chapter'; readonly book: string; readonly chapters: number }
  | { readonly kind: 'verse'; readonly book: string; readonly chapter: number; readonly verses: number }
  | { readonly kind: 'order' }

/** Longer texts are not parsed: bounds the work for hostile input. */
const longestReference = 500

/**
 * Reads a reference: 'Romans', 'Rom 8', '1 Jn 4:7-12', 'Genesis 1:26-2:3', 'Romans 7-8', 'Jude 5', several with ';' or
 * ',', the file-name forms with underscores ('1-John_4_7-21', 'Genesis_1_26-2_3'), and typed forms: 'Rom. viii. 28',
 * 'Jude vv 3-5', 'John ch. 3 v 16 to 18', 'St John 3:16 (NIV)'. Null for anything else, also for
 * chapters and verses that do not exist. Never reads references out of prose.
 */
export function parseScripture(text: string): Scripture | null {
  const read = readScripture(text)
  return 'kind' in read ? null : read
}

/** As `parseScripture`, with the reason instead of null. */
export function readScripture(text: string): Scripture | ScriptureProblem {
  if (text.length > longestReference) return form
  // Fast path: nearly every stored reference is like 'Romans 8:28-39', and a catalogue holds ten thousand.
  const space = text.lastIndexOf(' ')
  const spelledOut = booksByExactName.get(text.slice(0, space))
  if (spelledOut) {
    const read = readNumbers(spelledOut, text.slice(space + 1), undefined)
    if (!('kind' in read)) return { ranges: [read.range], display: formatScripture(read.range) }
  }
  const ranges: ScriptureRange[] = []
  let context: Context | undefined
  for (const segment of segmentsOf(normalize(text))) {
    const read = readAcrossBooks(segment.text) ?? readSegment(segment, context)
    if ('kind' in read) return read
    ranges.push(read.range)
    context = read
  }
  return ranges.length === 0 ? form : { ranges, display: ranges.map(formatScripture).join('; ') }
}

/** 'Romans', 'Romans 8', 'Romans 7-8', 'Romans 8:28', 'Romans 8:28-39', 'Genesis 1:26-2:3'. */
export function formatScripture({ start, end }: ScriptureRange): string {
  const from = verseAt(start)
  const to = verseAt(end)
  const book = canonicalBooks[from.book - 1]
  const endBook = canonicalBooks[to.book - 1]
  if (!book || !endBook) return ''
  const fromStart = from.verse <= 1
  if (book !== endBook)
    return `${book.name} ${from.chapter}:${from.verse}-${endBook.name} ${to.chapter}:${to.verse}`
  if (fromStart && from.chapter === 1 && to.chapter === wholeBook) return book.name
  if (fromStart && to.verse === wholeChapter) {
    if (book.verses.length === 1) return book.name
    const one = from.chapter === to.chapter
    // A single chapter of Psalms is called a psalm.
    const name = one && book.name === 'Psalms' ? 'Psalm' : book.name
    return one ? `${name} ${from.chapter}` : `${name} ${from.chapter}-${to.chapter}`
  }
  const lastChapter = Math.min(to.chapter, book.verses.length)
  const lastVerse = Math.min(to.verse, book.verses[lastChapter - 1] ?? to.verse)
  const name = book.name === 'Psalms' ? 'Psalm' : book.name
  const first = `${name} ${from.chapter}:${from.verse}`
  if (from.chapter !== lastChapter) return `${first}-${lastChapter}:${lastVerse}`
  return from.verse === lastVerse ? first : `${first}-${lastVerse}`
}

/** Whether this is a book's full name, as `formatScripture` writes it. */
export const isBookName = (text: string): boolean => booksByExactName.has(text)

const wholeChapter = 999
const wholeBook = 999
const form: ScriptureProblem = { kind: 'form' }

interface Segment {
  readonly text: string
  /** Whether it follows a ',': then a lone number continues the verses or chapters of the segment before. */
  readonly continues: boolean
}

interface Context {
  readonly book: Book
  /** The chapter whose verses the last segment named; undefined when it named chapters. */
  readonly chapter: number | undefined
}

/**
 * Lower case, one kind of dash; underscores, dots, 'v' and 'to' replaced by the separators they mean, Roman numerals by
 * digits. Marks of a translation are dropped.
 */
function normalize(text: string): string {
  const words = foldAccents(text)
    .replace(/[‐-―−﹘﹣~]/g, '-')
    .replace(/[_.\s]+/g, ' ')
    .replace(translationMark, '')
    .replace(/^ ?\((.*)\) ?$/, '$1')
    .replace(/(:\d+[a-f]*), ?(?:verses?|vv?|vss?) ?(?=\d)/g, '$1,')
    .replace(/, ?(?=(?:chapters?|chaps?|chs?|verses?|vv?|vss?) ?[\divxlc])/g, ' ')
    .replace(/\b(?:chapters?|chaps?)\b/g, ' ')
    // '1 Ch 3' is a book.
    .replace(/([a-z]{2}) +chs? ?(?=[\divxlc])/g, '$1 ')
    .replace(/ ?- ?/g, '-')
  return (
    romansAsDigits(words)
      .replace(/(\d) ?:? ?(?:verses?|vv?|vss?) ?(?=\d)/g, '$1:')
      .replace(/(\d[a-f]{0,2}) ?(?:to|through|thru|until|till) ?(?=[\da-z])/g, '$1-')
      .replace(/([a-z]{2})-/g, '$1 ')
      // Not after a chapter or verse, because a range into another book may continue there.
      .replace(/(?<![a-z][ \d:]*\d)-(?=[a-z])/g, ' ')
      .replace(/ ?: ?/g, ':')
  )
}

/** The name of a translation behind a number: '(NIV)', 'ESV', ', KJV'. */
const translationMark =
  /(?<=\d[a-f]{0,2}),? ?(?:[([] ?(?:all|whole|[a-z]{0,2}(?:niv|esv|kjv|nlt|nasb?|n?rsv|csb|asv|amp|msg|net|gn[bt]|cev|ncv|web|ylt|lsb|tpt)[a-z]{0,3}(?: ?uk| ?us| ?\d{2,4})?|av|nab|njb|the message|message|good news(?: bible)?|king james(?: version)?|new international version|english standard version|living bible|phillips|darby) ?[)\]]|(?:niv(?: ?uk)?|esv|n?kjv|nlt|nasb?(?: ?95)?|n?rsv(?:ue)?|h?csb|asv|amp|msg|gn[bt]|cev|ncv|nirv|ylt|lsb|tpt|the message|king james version)(?![a-z]))(?= *(?:[;,&]|$))/g

/** 'rom viii 28' is 'rom 8 28'. A single letter counts only before a number or in a range: 'john v' is being typed. */
function romansAsDigits(text: string): string {
  const asDigits = (all: string) =>
    all.replace(
      /((?<=[a-z]{2} +|\d-|[&;,] ?)[ivxlc]{2,}|(?<=\d-)[ivxlc]|(?<=[a-z]{2} +)[ivxlc](?= ?:? ?(?:v(?:v|erses?|ss?)? ?)?\d))(?![a-z])( ?:? ?v(?:v|erses?|ss?)? ?(?=\d))?/g,
      (written, roman: string, verse: string | undefined) => {
        const number = romanOf(roman)
        return number === undefined ? written : `${number}${verse === undefined ? '' : ':'}`
      },
    )
  // 'jude v 3' is a verse. The end of 'lii-liii' follows a number only after the first round.
  return isSingleChapter(text) ? text : asDigits(asDigits(text))
}

const isSingleChapter = (text: string) => {
  const [, before = ''] = /^(.*[a-z]) v(?:v|erses?|ss?)? ?\d/.exec(text) ?? []
  return findBook(ordinalAsDigit(before.trim()))?.verses.length === 1
}

function romanOf(roman: string): string | undefined {
  if (!/^(?:c?(?:xc|xl|l?x{0,3}))(?:ix|iv|v?i{0,3})$/.test(roman)) return undefined
  const values = [...roman].map((letter) => ({ i: 1, v: 5, x: 10, l: 50, c: 100 })[letter] ?? 0)
  return String(values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0))
}

function segmentsOf(text: string): Segment[] {
  const parts = text.split(/(;|,|&|\+|\band\b)/)
  const segments: Segment[] = []
  for (let i = 0; i < parts.length; i += 2) {
    const part = (parts[i] ?? '').trim()
    if (part !== '') segments.push({ text: part, continues: i > 0 && parts[i - 1] !== ';' })
  }
  return segments
}

/** A number, a dash, and the name of a book, which may have a number itself. */
const acrossBooks = /^(.*\d)-((?:[123] ?)?[a-z].*)$/
const segmentPattern = /^((?:[123] ?)?[a-z][a-z ]*)?(.*)$/
/** chapter [: verse] [- [chapter :] verse], with 'a', 'b', 'c' for parts of a verse and 'f', 'ff' for the following verses. */
const numbersPattern =
  /^(\d{1,3})(?:[: ](\d{1,3})[a-c]?(?: ?(ff?))?)?(?:-(\d{1,3})(?:[: ](\d{1,3}))?[a-c]?)?$/

type Read = (Context & { readonly range: ScriptureRange }) | ScriptureProblem

function readSegment(segment: Segment, context: Context | undefined): Read {
  const [, bookText, rest = ''] = segmentPattern.exec(ordinalAsDigit(segment.text)) ?? []
  const { book: named, chapter } = bookText === undefined ? { book: undefined } : bookWithVerses(bookText)
  if (bookText !== undefined && !named) return { kind: 'book', book: bookText.trim() }
  const book = named ?? context?.book
  if (!book) return form
  if (rest === '')
    return { book, chapter: undefined, range: rangeOf(book, [1, 1], [wholeBook, wholeChapter]) }
  return readNumbers(book, rest, chapter ?? (segment.continues && !named ? context?.chapter : undefined))
}

/** The book of 'jude vv ', with its only chapter; 'romans vv ' is none. */
function bookWithVerses(text: string): { book: Book | undefined; chapter?: number } {
  const book = findBook(text)
  if (book) return { book }
  const [, before] = /^(.*[a-z]) (?:verses?|vv?|vss?) ?$/.exec(text) ?? []
  const only = before === undefined ? undefined : findBook(before)
  return only?.verses.length === 1 ? { book: only, chapter: 1 } : { book: undefined }
}

/** 'genesis 50:26-exodus 1:7': from a verse or chapter of one book into a later one; undefined for anything else. */
function readAcrossBooks(text: string): Read | undefined {
  const [, from, to] = acrossBooks.exec(text) ?? []
  if (from === undefined || to === undefined) return undefined
  const [first, last] = [from, to].map((half) => readSegment({ text: half, continues: false }, undefined))
  if (!first || !last) return undefined
  const problem = [first, last].find((half) => 'kind' in half && half.kind !== 'form')
  if (problem) return problem
  if ('kind' in first || 'kind' in last || first.book === last.book) return undefined
  if (last.book.number < first.book.number) return { kind: 'order' }
  return { ...last, range: { start: first.range.start, end: last.range.end } }
}

/** `continued` is the chapter whose verses a lone number means; without it such a number is a chapter. */
function readNumbers(book: Book, text: string, continued: number | undefined): Read {
  const numbers = numbersPattern.exec(text)
  if (!numbers) return form
  const [first, firstVerse, , last, lastVerse] = numbers.slice(1).map(numberOf)
  const following = numbers[3]
  if (first === undefined) return form

  if (firstVerse === undefined && lastVerse === undefined) {
    // 'Jude 5' is a verse, 'Jude 1' is the whole book.
    const onlyChapter = book.verses.length === 1 && !(first === 1 && last === undefined) ? 1 : undefined
    const chapter = continued ?? onlyChapter
    if (chapter === undefined) return chapters(book, first, last ?? first)
    return verses(book, chapter, first, chapter, last ?? first)
  }
  if (firstVerse === undefined) return verses(book, first, 1, last ?? first, lastVerse ?? 1)
  if (following !== undefined) {
    if (last !== undefined) return form
    const chapterEnd = book.verses[first - 1] ?? firstVerse
    return verses(book, first, firstVerse, first, following === 'f' ? firstVerse + 1 : chapterEnd)
  }
  if (lastVerse !== undefined) return verses(book, first, firstVerse, last ?? first, lastVerse)
  return verses(book, first, firstVerse, first, last ?? firstVerse)
}

function chapters(book: Book, first: number, last: number): Read {
  const missing = missingChapter(book, first) ?? missingChapter(book, last)
  if (missing) return missing
  if (last < first) return { kind: 'order' }
  return { book, chapter: undefined, range: rangeOf(book, [first, 1], [last, wholeChapter]) }
}

function verses(
  book: Book,
  firstChapter: number,
  firstVerse: number,
  lastChapter: number,
  lastVerse: number,
): Read {
  const missing = missingVerse(book, firstChapter, firstVerse) ?? missingVerse(book, lastChapter, lastVerse)
  if (missing) return missing
  const range = rangeOf(book, [firstChapter, firstVerse], [lastChapter, lastVerse])
  return range.end < range.start ? { kind: 'order' } : { book, chapter: lastChapter, range }
}

function missingChapter(book: Book, chapter: number): ScriptureProblem | undefined {
  const chapterCount = book.verses.length
  return chapter >= 1 && chapter <= chapterCount
    ? undefined
    : { kind: 'chapter', book: book.name, chapters: chapterCount }
}

function missingVerse(book: Book, chapter: number, verse: number): ScriptureProblem | undefined {
  const last = book.verses[chapter - 1]
  if (last === undefined) return missingChapter(book, chapter)
  return verse >= 1 && verse <= last ? undefined : { kind: 'verse', book: book.name, chapter, verses: last }
}

function rangeOf(book: Book, [c1, v1]: [number, number], [c2, v2]: [number, number]): ScriptureRange {
  const base = book.number * 1_000_000
  return { start: base + c1 * 1_000 + v1, end: base + c2 * 1_000 + v2 }
}

const verseAt = (code: number) => ({
  book: Math.floor(code / 1_000_000),
  chapter: Math.floor(code / 1_000) % 1_000,
  verse: code % 1_000,
})

const numberOf = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

/** 'i john', '1st john', 'one john' and 'first john' are '1 john'; 'the gospel of john' and 'st john' are 'john'. */
function ordinalAsDigit(text: string): string {
  return text
    .replace(
      /^(?:the )?(?:gospel (?:of|according to) |book of |(?:letter|epistle) (?:to|of) (?:the )?)?(?:st |saint )?/,
      '',
    )
    .replace(/^(i{1,3}|1st|2nd|3rd|one|two|three|first|second|third) (?=[a-z])/, (_, ordinal: string) =>
      /^i+$/.test(ordinal) ? `${ordinal.length} ` : `${ordinals[ordinal]} `,
    )
}

const ordinals: Readonly<Record<string, number>> = {
  '1st': 1,
  one: 1,
  first: 1,
  '2nd': 2,
  two: 2,
  second: 2,
  '3rd': 3,
  three: 3,
  third: 3,
}

const compact = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const booksByExactName = new Map(canonicalBooks.map((book) => [book.name, book]))
const booksByName = new Map<string, Book>(
  canonicalBooks.flatMap((book) =>
    [compact(book.name), ...book.abbreviations].map((name) => [name, book] as const),
  ),
)

/** A book by its name, a usual abbreviation, or at least four letters that begin one name alone. */
function findBook(name: string): Book | undefined {
  const key = compact(name)
  const exact = booksByName.get(key)
  if (exact || key.replace(/\d/, '').length < 4) return exact
  const begun = canonicalBooks.filter((book) => compact(book.name).startsWith(key))
  return begun.length === 1 ? begun[0] : undefined
}

import { canonicalBooks } from '../scripture-books.ts'
import { parseScripture } from '../scripture.ts'
import { nkjv } from './passages.limits.ts'

/** Whether a translation is the one whose publisher limits quoted verses. */
export const isCounted = (translation: string): boolean =>
  [nkjv.translation, nkjv.shortName].some((name) => name.toLowerCase() === translation.trim().toLowerCase())

interface QuotedVerses {
  /** Distinct verses. */
  readonly count: number
  /** Books of which every verse is quoted. */
  readonly wholeBooks: readonly string[]
}

/** Number of verses that these references quote. If a text is not a reference, it counts as 0. */
export function quotedVerses(references: readonly string[]): QuotedVerses {
  const verses = new Set(references.flatMap(versesOf))
  const wholeBooks = canonicalBooks
    .filter(({ number, verses: chapters }) =>
      chapters.every((last, at) =>
        Array.from({ length: last }, (_, verse) => codeOf(number, at + 1, verse + 1)).every((code) =>
          verses.has(code),
        ),
      ),
    )
    .map(({ name }) => name)
  return { count: verses.size, wholeBooks }
}

function versesOf(reference: string): number[] {
  const codes: number[] = []
  for (const { start, end } of parseScripture(reference)?.ranges ?? []) {
    const book = canonicalBooks[Math.floor(start / 1_000_000) - 1]!
    for (const [at, last] of book.verses.entries()) {
      for (let verse = 1; verse <= last; verse += 1) {
        const code = codeOf(book.number, at + 1, verse)
        if (code >= start && code <= end) codes.push(code)
      }
    }
  }
  return codes
}

const codeOf = (book: number, chapter: number, verse: number) => book * 1_000_000 + chapter * 1_000 + verse

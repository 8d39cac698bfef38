import { canonicalBooks } from '../scripture-books.ts'
import { foldedWords } from '../text-folding.ts'
import type { Teaching } from './teachings.schema.ts'

/** A value of the filter that the text may mean. */
export interface SearchSuggestion {
  readonly part: 'speaker' | 'book'
  readonly value: string
}

/** Suggestions of each kind, at most. */
const most = { speaker: 3, book: 3 } as const

/**
 * Makes the function that suggests speakers (those with most teachings first) and books (in canonical order) if each typed
 * word is the beginning of a word of the name. Only speakers and books of these rows are suggested.
 */
export function searchSuggestions(
  rows: readonly Pick<Teaching, 'speaker' | 'scriptureReference'>[],
): (typed: string) => readonly SearchSuggestion[] {
  let speakers: readonly Named[] | undefined
  let references: string | undefined
  return (typed) => {
    const wanted = foldedWords(typed)
    if (wanted.length === 0) return []
    speakers ??= speakersOf(rows)
    const written = (references ??= rows.map((row) => `\n${row.scriptureReference ?? ''}`).join(''))
    return [
      ...first(speakers, most.speaker, (name) => begins(name, wanted)).map(suggested('speaker')),
      ...first(books, most.book, (name) => begins(name, wanted) && isReferred(name.value, written)).map(
        suggested('book'),
      ),
    ]
  }
}

interface Named {
  readonly value: string
  readonly words: readonly string[]
}

const named = (value: string): Named => ({ value, words: foldedWords(value) })
const books: readonly Named[] = canonicalBooks.map(({ name }) => named(name))
const suggested =
  (part: SearchSuggestion['part']) =>
  ({ value }: Named): SearchSuggestion => ({ part, value })

function speakersOf(rows: readonly Pick<Teaching, 'speaker'>[]): Named[] {
  const counts = new Map<string, number>()
  for (const { speaker } of rows) counts.set(speaker, (counts.get(speaker) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([name]) => named(name))
}

const begins = ({ words }: Named, wanted: readonly string[]): boolean =>
  wanted.every((typed) => words.some((word) => word.startsWith(typed)))

/**
 * Searches the words of all references, each on a line: fast enough for every keystroke, even if none of ten thousand has
 * the book. Parsing or searching them one by one would be too slow.
 */
function isReferred(book: string, references: string): boolean {
  // A single psalm is written 'Psalm 23'.
  const name = book === 'Psalms' ? 'Psalm' : book
  for (let at = references.indexOf(name); at >= 0; at = references.indexOf(name, at + 1))
    if (endOfReference.test(references.slice(Math.max(0, at - 8), at))) return true
  return false
}

/** The text before the name of a book: empty, or the end of another reference. */
const endOfReference = /(?:[\n;,&+-]|\band) *$/

function first(all: readonly Named[], count: number, isWanted: (name: Named) => boolean): Named[] {
  const found: Named[] = []
  for (const name of all) {
    if (found.length === count) break
    if (isWanted(name)) found.push(name)
  }
  return found
}

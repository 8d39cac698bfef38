import { parseScripture } from '../scripture.ts'
import { canonicalBooks } from '../scripture-books.ts'
import type { Teaching } from './teachings.schema.ts'

/** The filter of a list; null matches everything. */
export interface TeachingFilter {
  /** A book's canonical name. */
  readonly book: string | null
  readonly speaker: string | null
  readonly year: number | null
}

type Filed = Pick<Teaching, 'speaker' | 'year' | 'scriptureReference'>

/** A filter value, and how many teachings match it. */
export interface Facet<Value extends string | number> {
  readonly value: Value
  readonly count: number
}

interface Facets {
  /** In canonical order. */
  readonly books: readonly (Facet<string> & { readonly testament: 'Old' | 'New' })[]
  /** By number of teachings, then by name. */
  readonly speakers: readonly Facet<string>[]
  /** Newest first. */
  readonly years: readonly Facet<number>[]
}

/** The rows that match every part of the filter, in their order. */
export const filterTeachings = <Row extends Filed>(
  rows: readonly Row[],
  filter: TeachingFilter,
): readonly Row[] =>
  isOpenFilter(filter) ? rows : rows.filter((row) => parts.every((part) => passes[part](row, filter)))

export const isOpenFilter = ({ book, speaker, year }: TeachingFilter): boolean =>
  book === null && speaker === null && year === null

/** Values for each part of the filter, counted over the rows that match the other two: no choice leads to an empty list. */
export function facetsOf(rows: readonly Filed[], filter: TeachingFilter): Facets {
  const counts = {
    book: new Map<string, number>(),
    speaker: new Map<string, number>(),
    year: new Map<number, number>(),
  }
  for (const row of rows) {
    const [book, speaker, year] = parts.map((part) => passes[part](row, filter))
    if (speaker && year) for (const name of booksOf(row.scriptureReference)) add(counts.book, name)
    if (book && year) add(counts.speaker, row.speaker)
    if (book && speaker) add(counts.year, row.year)
  }
  return {
    books: canonicalBooks.flatMap(({ name }) => {
      const count = counts.book.get(name)
      return count ? [{ value: name, count, testament: testamentOf(name) }] : []
    }),
    speakers: listed(counts.speaker).sort((a, b) => b.count - a.count || a.value.localeCompare(b.value)),
    years: listed(counts.year).sort((a, b) => b.value - a.value),
  }
}

/** The books of a reference, each once, in canonical order. */
export function booksOf(reference: string | null): readonly string[] {
  if (!reference) return none
  const known = read.get(reference)
  if (known) return known
  const numbers = new Set<number>()
  for (const { start, end } of parseScripture(reference)?.ranges ?? []) {
    for (let book = Math.floor(start / 1_000_000); book <= Math.floor(end / 1_000_000); book += 1)
      numbers.add(book)
  }
  const names = [...numbers].sort((a, b) => a - b).flatMap((number) => canonicalBooks[number - 1]?.name ?? [])
  read.set(reference, names)
  return names
}

/** The testament of a book, by its canonical name. */
export const testamentOf = (book: string): 'Old' | 'New' => (oldBooks.has(book) ? 'Old' : 'New')

const parts = ['book', 'speaker', 'year'] as const
const passes: Record<(typeof parts)[number], (row: Filed, filter: TeachingFilter) => boolean> = {
  book: (row, { book }) => book === null || booksOf(row.scriptureReference).includes(book),
  speaker: (row, { speaker }) => speaker === null || row.speaker === speaker,
  year: (row, { year }) => year === null || row.year === year,
}

/** Parsed references: parsing takes longer than counting. */
const read = new Map<string, readonly string[]>()
const none: readonly string[] = []
const lastOfOld = canonicalBooks.findIndex(({ name }) => name === 'Malachi') + 1
const oldBooks = new Set<string>(canonicalBooks.slice(0, lastOfOld).map(({ name }) => name))

const add = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1)
const listed = <Value extends string | number>(counts: Map<Value, number>): Facet<Value>[] =>
  [...counts].map(([value, count]) => ({ value, count }))

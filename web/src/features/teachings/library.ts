import { isOpenFilter, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** What is known of the catalogue: nothing yet, its rows newest first, or why there are none. */
export type Library =
  | { status: 'loading' }
  /** partial: the newest ones alone, while the rest is being read. */
  | { status: 'ready'; rows: readonly Teaching[]; partial?: boolean }
  /** offline: nobody answered, and the device has nothing yet. */
  | { status: 'failed'; sentence: string; offline?: boolean }

/** What the library is narrowed to. */
export interface LibraryFilters extends TeachingFilter {
  /** As it was typed. */
  readonly q: string
}

export const openFilters: LibraryFilters = { q: '', book: null, speaker: null, year: null }

/** The outbox entries of this person, as the library shows them. */
export interface OutboxView {
  /** State by the uid of the teaching; undecided: in conflict or rejected, a person has to decide. */
  byUid: ReadonlyMap<string, 'queued' | 'undecided'>
  /** The rows with the outbox entries applied. */
  apply: (rows: readonly Teaching[]) => readonly Teaching[]
}

export const emptyOutboxView: OutboxView = { byUid: new Map(), apply: (rows) => rows }

/** Each year once, newest first. */
export const yearsOf = (rows: readonly Teaching[]): number[] =>
  [...new Set(rows.map(({ year }) => year))].sort((a, b) => b - a)

/**
 * SPEC §2: 'Search Results (n)' while searching, '<year> Teaching' otherwise, 'All Teaching' under All Years; a book and a
 * speaker are added to it.
 */
export function libraryTitle(filters: LibraryFilters, found: number): string {
  const { q, book, speaker, year } = filters
  if (q.trim() !== '') return `Search Results (${found})`
  if (isOpenFilter(filters)) return 'All Teaching'
  const about = `${book === null ? '' : ` on ${book}`}${speaker === null ? '' : ` by ${speaker}`}`
  return `${year === null ? '' : `${year} `}Teaching${about}`
}

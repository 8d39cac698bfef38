import { isOpenFilter, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** The state of the catalogue: loading, its rows newest first, or the reason why there are none. */
export type Library<Row extends ListedTeaching = Teaching> =
  | { status: 'loading' }
  /** partial: only the newest rows so far; the rest is loading. */
  | { status: 'ready'; rows: readonly Row[]; partial?: boolean }
  /** offline: the server did not answer, and the replica is empty. */
  | { status: 'failed'; sentence: string; offline?: boolean }

export interface LibraryFilters extends TeachingFilter {
  /** The search text as typed. */
  readonly q: string
}

export const openFilters: LibraryFilters = { q: '', book: null, speaker: null, year: null }

export interface OutboxView {
  /** State by the uid of the teaching; undecided: in conflict or rejected, so that the user has to decide. */
  byUid: ReadonlyMap<string, 'queued' | 'undecided'>
  apply: (rows: readonly Teaching[]) => readonly Teaching[]
}

export const emptyOutboxView: OutboxView = { byUid: new Map(), apply: (rows) => rows }

/** Each year once, newest first. */
export const yearsOf = (rows: readonly ListedTeaching[]): number[] =>
  [...new Set(rows.map(({ year }) => year))].sort((a, b) => b - a)

/**
 * The heading of the list: 'Search Results (n)' when searching, '<year> Teaching' if a year is chosen, else 'All Teaching';
 * book and speaker are appended.
 *
 * @param found undefined until it is known: the count is left out then
 */
export function libraryTitle(filters: LibraryFilters, found: number | undefined): string {
  const { q, book, speaker, year } = filters
  if (q.trim() !== '') return `Search Results${found === undefined ? '' : ` (${found})`}`
  if (isOpenFilter(filters)) return 'All Teaching'
  const about = `${book === null ? '' : ` on ${book}`}${speaker === null ? '' : ` by ${speaker}`}`
  return `${year === null ? '' : `${year} `}Teaching${about}`
}

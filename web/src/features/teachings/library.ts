import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** What is known of the catalogue: nothing yet, its rows newest first, or why there are none. */
export type Library =
  | { status: 'loading' }
  /** partial: the newest ones alone, while the rest is being read. */
  | { status: 'ready'; rows: readonly Teaching[]; partial?: boolean }
  /** offline: nobody answered, and the device has nothing yet. */
  | { status: 'failed'; sentence: string; offline?: boolean }

/** Each year once, newest first. */
export const yearsOf = (rows: readonly Teaching[]): number[] =>
  [...new Set(rows.map(({ year }) => year))].sort((a, b) => b - a)

/** SPEC §2: 'Search Results (n)' while searching, '<year> Teaching' otherwise, 'All Teaching' under All Years. */
export function libraryTitle(search: { query: string; year: number | null; found: number }): string {
  if (search.query.trim() !== '') return `Search Results (${search.found})`
  return search.year === null ? 'All Teaching' : `${search.year} Teaching`
}

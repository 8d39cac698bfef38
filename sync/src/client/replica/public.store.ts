import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import type { EventRow } from '@fellowship/schema/events/events.schema'
import type { NoticeRow } from '@fellowship/schema/notices/notices.contract'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Series } from '@fellowship/schema/series/series.schema'

/** All elders of the replica in the order they are shown; undefined before the first pull. For live queries. */
export async function readElders(db: AppDatabase = appDatabase()): Promise<Elder[] | undefined> {
  const rows = await db.elders.toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return rows.sort(inShownOrder)
}

/** The lower number first; of equal ones the older entry. */
export const inShownOrder = (a: Elder, b: Elder): number => a.displayOrder - b.displayOrder || a.id - b.id

/** Passages by their reference. */
export type PassagesByReference = ReadonlyMap<string, Passage>

/** The passages of the replica; undefined before the first pull. For live queries. */
export async function readPassages(
  db: AppDatabase = appDatabase(),
): Promise<PassagesByReference | undefined> {
  const rows = await db.passages.toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return byReference(rows)
}

/** Of several translations of one passage the latest: an import of a fellowship replaces the earlier one. */
const byReference = (rows: readonly Passage[]): PassagesByReference =>
  new Map(rows.toSorted((a, b) => a.rev - b.rev).map((row) => [row.reference, row]))

/** The events and notices of the replica; undefined before the first pull. For live queries. */
export async function readCalendar(
  db: AppDatabase = appDatabase(),
): Promise<{ events: EventRow[]; notices: NoticeRow[] } | undefined> {
  const [events, notices] = await Promise.all([db.events.toArray(), db.notices.toArray()])
  if (events.length + notices.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return { events, notices }
}

/** The written pages of the replica; undefined before the first pull, as Home and About always exist. For live queries. */
export async function readPages(db: AppDatabase = appDatabase()): Promise<PageRow[] | undefined> {
  const rows = await db.pages.toArray()
  return rows.length === 0 ? undefined : rows
}

/** All series of the replica by title; undefined before the first pull. For live queries. */
export async function readSeries(db: AppDatabase = appDatabase()): Promise<Series[] | undefined> {
  const rows = await db.series.toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return rows.sort(byTitle)
}

/** Of one title, the older address first. */
export const byTitle = (a: Series, b: Series): number =>
  collator.compare(a.title, b.title) || (a.slug < b.slug ? -1 : 1)

const collator = new Intl.Collator('en-NZ', { sensitivity: 'base', numeric: true })

import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
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

import type { Passage } from '@fellowship/schema/passages/passages.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'

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

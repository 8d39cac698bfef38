import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'

/** All elders of the replica in the order they are shown; undefined before the first pull. For live queries. */
export async function readElders(db: AppDatabase = appDatabase()): Promise<Elder[] | undefined> {
  const rows = await db.elders.toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return rows.sort(inShownOrder)
}

/** The lower number first; of equal ones the older entry. */
export const inShownOrder = (a: Elder, b: Elder): number => a.displayOrder - b.displayOrder || a.id - b.id

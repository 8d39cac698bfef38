import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase, type AppDatabase } from './database.ts'
import { readSyncState } from './sync-state.ts'

/** All teachings on the device, newest first; undefined while nothing was ever synced. Fit for a live query. */
export async function readTeachings(db: AppDatabase = appDatabase()): Promise<Teaching[] | undefined> {
  const rows = await db.teachings.toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return rows.sort(newestFirst)
}

/** By date, newest first; of one day the later entry first. */
export const newestFirst = (a: Teaching, b: Teaching): number =>
  a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1

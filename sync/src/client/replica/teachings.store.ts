import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'

/** All teachings of the replica, newest first; undefined before the first pull. For live queries. */
export async function readTeachings(db: AppDatabase = appDatabase()): Promise<Teaching[] | undefined> {
  return db.transaction('r', db.teachings, db.meta, async () => {
    const rows: Teaching[] = []
    // In batches: ten thousand rows at once block a slow phone for a third of a second.
    for (let last = '', batch: Teaching[]; ;) {
      batch = await db.teachings.where('uid').above(last).limit(batchRows).toArray()
      last = batch.at(-1)?.uid ?? last
      // Sorted one by one, so that at the end the batches only have to be merged.
      for (const row of batch.sort(newestFirst)) rows.push(row)
      if (batch.length < batchRows) break
    }
    if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
    return rows.sort(newestFirst)
  })
}

const batchRows = 500

/**
 * Only the newest teachings, for a first screen that need not wait for all; undefined before the first pull. For live
 * queries.
 *
 * @param count how many at most
 */
export async function readNewestTeachings(
  count: number,
  db: AppDatabase = appDatabase(),
): Promise<Teaching[] | undefined> {
  const rows = await db.teachings.orderBy('[date+id]').reverse().limit(count).toArray()
  if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
  return rows
}

/** By date, newest first; on one day the higher id first. */
export const newestFirst = (a: Teaching, b: Teaching): number =>
  a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1

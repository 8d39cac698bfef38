import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'

/** All teachings on the device, newest first; undefined while nothing was ever synced. Fit for a live query. */
export async function readTeachings(db: AppDatabase = appDatabase()): Promise<Teaching[] | undefined> {
  return db.transaction('r', db.teachings, db.meta, async () => {
    const rows: Teaching[] = []
    // In parts: ten thousand rows at once keep a slow phone from answering for a third of a second.
    for (let last = '', part: Teaching[]; ; last = part.at(-1)!.uid) {
      part = await db.teachings.where('uid').above(last).limit(rowsOfPart).toArray()
      for (const row of part) rows.push(row)
      if (part.length < rowsOfPart) break
    }
    if (rows.length === 0 && (await readSyncState(db)).cursor === undefined) return undefined
    return rows.sort(newestFirst)
  })
}

const rowsOfPart = 500

/**
 * The newest teachings alone, for what need not wait for all of them; undefined while nothing was ever synced. Fit
 * for a live query.
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

/** By date, newest first; of one day the later entry first. */
export const newestFirst = (a: Teaching, b: Teaching): number =>
  a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1

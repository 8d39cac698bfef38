import type { Series } from '@fellowship/schema/series/series.schema'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readSyncState } from './sync-state.ts'

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

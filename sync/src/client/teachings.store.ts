import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { browserTransport, call, type Transport } from '../call/call.ts'
import { appDatabase, type AppDatabase } from './database.ts'

/** All teachings on the device, newest first; undefined while nothing was ever fetched. Fit for a live query. */
export async function readTeachings(db: AppDatabase = appDatabase()): Promise<Teaching[] | undefined> {
  const rows = await db.teachings.toArray()
  if (rows.length === 0 && !(await db.meta.get(fetchedKey))) return undefined
  return rows.sort(newestFirst)
}

/** Brings the device's teachings up to the server's. Rows change in one transaction: a screen never sees a half. */
export async function refreshTeachings(
  db: AppDatabase = appDatabase(),
  transport: Transport = browserTransport,
): Promise<void> {
  const rows = await call(teachings.list, {}, transport)
  const kept = new Set(rows.map(({ uid }) => uid))
  await db.transaction('rw', db.teachings, db.meta, async () => {
    const gone = (await db.teachings.toCollection().primaryKeys()).filter((uid) => !kept.has(uid))
    await db.teachings.bulkDelete(gone)
    await db.teachings.bulkPut(rows)
    await db.meta.put({ key: fetchedKey, value: Date.now() })
  })
}

/** When the device last heard all of it from the server, in epoch milliseconds. */
export async function teachingsFetchedAt(db: AppDatabase = appDatabase()): Promise<number | undefined> {
  return (await db.meta.get(fetchedKey))?.value as number | undefined
}

const fetchedKey = 'teachings.fetchedAt'

/** By date, newest first; of one day the later entry first. */
const newestFirst = (a: Teaching, b: Teaching) => (a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1)

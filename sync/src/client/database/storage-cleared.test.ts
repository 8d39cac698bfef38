import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { expect, test, vi } from 'vitest'
import { watch } from '../engine/live.ts'
import { AppDatabase } from './app-database.ts'
import { rereadAll, whenCleared } from './storage-cleared.ts'

test('every watched query reads again, not from the cache', async () => {
  const db = new AppDatabase(`cleared-${Math.random()}`)
  await db.elders.put({ uid: 'a' } as never)
  const counts: number[] = []
  const stop = watch(
    () => db.elders.count(),
    (count) => counts.push(count),
  )
  await vi.waitFor(() => expect(counts).toEqual([1]))
  // Without a report by Dexie, as from other code of the site.
  const write = db.backendDB().transaction('elders', 'readwrite')
  write.objectStore('elders').clear()
  await new Promise((done) => (write.oncomplete = done))
  rereadAll()
  await vi.waitFor(() => expect(counts).toEqual([1, 0]))
  stop()
  await db.delete()
})

/** An open database whose end is watched. */
async function watched() {
  const db = new Dexie(`deleted-${Math.random()}`)
  db.version(1).stores({ rows: 'id' })
  const cleared = vi.fn()
  whenCleared(db, cleared)
  await db.open()
  return { db, cleared }
}
const done = (request: IDBOpenDBRequest) =>
  new Promise<IDBDatabase>((resolve) => (request.onsuccess = () => resolve(request.result)))

test('reports a database that is deleted', async () => {
  const { db, cleared } = await watched()
  await done(indexedDB.deleteDatabase(db.name))
  expect(cleared).toHaveBeenCalledOnce()
})

test('does not report an upgrade', async () => {
  const { db, cleared } = await watched()
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const newer = await done(indexedDB.open(db.name, 20))
  expect(cleared).not.toHaveBeenCalled()
  newer.close()
})

import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { AppDatabase } from '../database/app-database.ts'
import { watch } from './live.ts'

/** Counts the teachings of a database whose first reading fails like this. */
async function counting(failure: Error) {
  const db = new AppDatabase(`watch-${Math.random()}`)
  await db.open()
  const counts: number[] = []
  let readings = 0
  const stop = watch(
    () => {
      readings += 1
      return readings === 1 ? Dexie.Promise.reject(failure) : db.teachings.count()
    },
    (count) => counts.push(count),
  )
  onTestFinished(async () => {
    stop()
    await db.delete()
  })
  return { db, counts, stop, readings: () => readings }
}

test.each([
  ['the system lost it', new DOMException('Connection to Indexed Database server lost', 'UnknownError')],
  ['the browser closed it', new Dexie.DatabaseClosedError()],
])('reports changes after a first failure: %s', async (_, failure) => {
  const { db, counts } = await counting(failure)
  await expect.poll(() => counts, { timeout: 15_000 }).toEqual([0])
  await db.teachings.add(aTeaching())
  await expect.poll(() => counts).toEqual([0, 1])
})

test.each<[string, (db: AppDatabase) => unknown]>([
  ['deletes the database', ({ name }) => indexedDB.deleteDatabase(name)],
  [
    'deletes the rows and closes the connection',
    async (db) => {
      const { result: other } = await opened(indexedDB.open(db.name))
      const deletion = other.transaction('teachings', 'readwrite')
      deletion.objectStore('teachings').clear()
      await new Promise((resolve) => (deletion.oncomplete = resolve))
      other.close()
      db.backendDB().dispatchEvent(new IDBVersionChangeEvent('close'))
    },
  ],
])('reads again when the browser %s', async (_, clear) => {
  const db = new AppDatabase(`cleared-${Math.random()}`)
  await db.teachings.add(aTeaching())
  const counts: number[] = []
  const rows: number[] = []
  const stops = [
    watch(
      () => db.teachings.count(),
      (count) => counts.push(count),
    ),
    // Dexie caches the results of these.
    watch(
      () => db.teachings.toArray(),
      ({ length }) => rows.push(length),
    ),
  ]
  const heard = vi.fn()
  stops.push(db.onCleared(heard))
  onTestFinished(async () => {
    for (const stop of stops) stop()
    await db.delete()
  })
  await expect.poll(() => [counts, rows]).toEqual([[1], [1]])
  await clear(db)
  await expect.poll(() => [counts.at(-1), rows.at(-1)]).toEqual([0, 0])
  expect(heard).toHaveBeenCalledOnce()
  await db.teachings.add(aTeaching())
  await expect.poll(() => [counts.at(-1), rows.at(-1)]).toEqual([1, 1])
})

const opened = async (request: IDBOpenDBRequest) => {
  await new Promise((resolve) => (request.onsuccess = resolve))
  return request
}

test('calls back and reads no more after it was stopped', async () => {
  const { counts, stop, readings } = await counting(new Error('closed'))
  await expect.poll(readings).toBe(1)
  stop()
  await delay(1_200)
  expect([counts, readings()]).toEqual([[], 1])
})

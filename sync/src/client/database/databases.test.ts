import 'fake-indexeddb/auto'
import { expect, test, vi } from 'vitest'
import { AppDatabase } from './app-database.ts'
import { AudioDatabase } from './audio-database.ts'
import { onDatabaseTrouble } from './database-trouble.ts'

const openNewer = (name: string) =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 9000)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new Error('not opened', { cause: request.error }))
  })

test.each([
  ['catalogue', () => new AppDatabase('newer-app')],
  ['recordings', () => new AudioDatabase('newer-audio')],
])('a page of an older build lets go of the %s, says so, and does not write again', async (_, make) => {
  const db = make()
  await db.open()
  const told = vi.fn()
  const stop = onDatabaseTrouble(told)
  const newer = await openNewer(db.name)
  expect(told).toHaveBeenLastCalledWith('outdated')
  expect(db.isOpen()).toBe(false)
  await expect(db.tables[0]!.count()).rejects.toMatchObject({ name: 'DatabaseClosedError' })
  newer.close()
  stop()
})

test('upgrades a database of the first version: rows stay, the index and the series are added', async () => {
  const first = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('old-app', 10)
    request.onupgradeneeded = () => {
      for (const name of ['teachings', 'elders', 'passages', 'positions'])
        request.result.createObjectStore(name, { keyPath: 'uid' })
      request.result.createObjectStore('meta', { keyPath: 'key' })
      request.transaction!.objectStore('passages').createIndex('reference', 'reference')
    }
    request.onsuccess = () => resolve(request.result)
  })
  const write = first.transaction('teachings', 'readwrite')
  for (const [uid, date, id] of [
    ['a', '2026-01-04', 1],
    ['b', '2026-01-11', 2],
    ['c', '2026-01-11', 3],
  ])
    write.objectStore('teachings').put({ uid, date, id })
  await new Promise((resolve) => (write.oncomplete = resolve))
  first.close()
  const { readNewestTeachings } = await import('../replica/teachings.store.ts')
  const db = new AppDatabase('old-app')
  const newest = await readNewestTeachings(2, db)
  expect(newest?.map(({ uid }) => uid)).toEqual(['c', 'b'])
  expect(await db.series.count()).toBe(0)
})

test('upgrades a database of the second version: what was heard stays, and Up next can be filled', async () => {
  const second = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('second-app', 20)
    request.onupgradeneeded = () => {
      for (const name of ['teachings', 'elders', 'passages', 'positions'])
        request.result.createObjectStore(name, { keyPath: 'uid' })
      request.result.createObjectStore('meta', { keyPath: 'key' })
      request.result.createObjectStore('outbox', { keyPath: 'seq', autoIncrement: true })
      request.transaction!.objectStore('passages').createIndex('reference', 'reference')
      request.transaction!.objectStore('teachings').createIndex('[date+id]', ['date', 'id'])
    }
    request.onsuccess = () => resolve(request.result)
  })
  const write = second.transaction(['positions', 'teachings'], 'readwrite')
  write.objectStore('positions').put({ uid: 'a', seconds: 60, duration: 90, listenedAt: 1, earlier: [] })
  write.objectStore('teachings').put({ uid: 'a', date: '2026-01-04', id: 1, audioUrl: '/audio/a.mp3' })
  await new Promise((resolve) => (write.oncomplete = resolve))
  second.close()
  const { readPositions } = await import('../listening/listening.store.ts')
  const { readUpNext, writeUpNext } = await import('../listening/up-next.store.ts')
  const db = new AppDatabase('second-app')
  expect(await readPositions(db)).toMatchObject([{ uid: 'a', seconds: 60 }])
  await writeUpNext({ type: 'addToEnd', uids: ['a'] }, 1, db)
  expect((await readUpNext(db)).teachings.map(({ uid }) => uid)).toEqual(['a'])
})

test('upgrades a database of the fifth version: marks and notes stay, and can be sent to the account', async () => {
  const fifth = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('fifth-app', 50)
    request.onupgradeneeded = () => {
      const { result: db, transaction } = request
      for (const name of ['teachings', 'elders', 'passages', 'positions', 'series', 'upNext', 'marks'])
        db.createObjectStore(name, { keyPath: 'uid' })
      db.createObjectStore('notes', { keyPath: 'id' }).createIndex('uid', 'uid')
      db.createObjectStore('meta', { keyPath: 'key' })
      const outbox = db.createObjectStore('outbox', { keyPath: 'seq', autoIncrement: true })
      outbox.createIndex('mutationId', 'mutationId')
      outbox.createIndex('uid', 'uid')
      transaction!.objectStore('passages').createIndex('reference', 'reference')
      transaction!.objectStore('teachings').createIndex('[date+id]', ['date', 'id'])
    }
    request.onsuccess = () => resolve(request.result)
  })
  const write = fifth.transaction(['marks', 'notes', 'outbox'], 'readwrite')
  const marks = { uid: 'a', favourite: { on: true, at: 1 } }
  const note = { id: 'n', uid: 'a', seconds: 5, text: 'Grace', removed: false, createdAt: 1, changedAt: 1 }
  write.objectStore('marks').put(marks)
  write.objectStore('notes').put(note)
  write
    .objectStore('outbox')
    .put({ mutationId: 'm', uid: 'a', op: 'delete', ownerUserId: 7, state: 'queued' })
  await new Promise((resolve) => (write.oncomplete = resolve))
  fifth.close()
  const db = new AppDatabase('fifth-app')
  expect(await db.marks.toArray()).toEqual([marks])
  expect(await db.notes.toArray()).toEqual([note])
  expect(await db.outbox.toArray()).toMatchObject([{ seq: 1, mutationId: 'm' }])
  await db.unsentListening.put({ kind: 'marks', key: 'a' } as never)
  expect(await db.unsentListening.count()).toBe(1)
  expect(await db.keptListening.count()).toBe(0)
})

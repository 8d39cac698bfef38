import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { expect, test, vi } from 'vitest'
import { AppDatabase } from './app-database.ts'
import { AudioDatabase } from './audio-database.ts'
import { onDatabaseTrouble } from './database-trouble.ts'
import { liveQuery } from './device-database.ts'

const openNewer = (name: string) =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 9000)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new Error('not opened', { cause: request.error }))
  })

test.each([
  ['catalogue', () => new AppDatabase('newer-app')],
  ['recordings', () => new AudioDatabase('newer-audio')],
])('an older page closes the %s for a newer build', async (_, make) => {
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

test('a deleted database is read again and reported', async () => {
  const db = new AppDatabase('deleted-app')
  await db.elders.put({ uid: 'a' } as never)
  const counts: number[] = []
  const watching = liveQuery(() => db.elders.count()).subscribe((count) => void counts.push(count))
  const [told, stopped] = [vi.fn(), vi.fn()]
  db.onCleared(told)
  db.onCleared(stopped)()
  await vi.waitFor(() => expect(counts).toEqual([1]))
  indexedDB.deleteDatabase(db.name)
  await vi.waitFor(() => expect(counts).toEqual([1, 0]))
  expect([told.mock.calls.length, stopped.mock.calls.length]).toEqual([1, 0])
  watching.unsubscribe()
})

test('upgrades the first version with its rows', async () => {
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

test('upgrades the second version with its places', async () => {
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

test('upgrades the fifth version with marks and notes', async () => {
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
  expect(await db.unsentListening.toArray()).toMatchObject([
    { kind: 'marks', key: 'a', own: own(1) },
    { kind: 'note', key: 'n', own: own(1, 1) },
  ])
  expect(await db.inactiveListening.count()).toBe(0)
})

/** A database of the sixth version with a place and a mark, one of them unsent, and a note that is not shown. */
async function sixth(name: string, meta: object[]): Promise<AppDatabase> {
  const old = new Dexie(name)
  old.version(6).stores({
    ...Object.fromEntries(['teachings', 'elders', 'passages', 'series'].map((store) => [store, 'uid'])),
    ...Object.fromEntries(['positions', 'upNext', 'marks'].map((store) => [store, 'uid'])),
    notes: 'id, uid',
    unsentListening: '[kind+key]',
    keptListening: '[owner+kind+key], owner',
    outbox: '++seq, mutationId, uid',
    meta: 'key',
  })
  await old
    .table('positions')
    .put({ uid: 'a', seconds: 9, duration: 90, listenedAt: 7, earlier: [{ seconds: 1, listenedAt: 3 }] })
  await old.table('marks').put({ uid: 'a', favourite: { on: true, at: 5 } })
  await old.table('unsentListening').put({ kind: 'position', key: 'a', since: 7, nonce: 'n', base: 2 })
  const note = { id: 'n', uid: 'a', seconds: 5, text: 'Grace', removed: false, createdAt: 1, changedAt: 4 }
  await old.table('keptListening').put({ owner: 8, kind: 'note', key: 'n', row: note })
  await old.table('meta').bulkPut(meta)
  old.close()
  return new AppDatabase(name)
}
const own = (...moments: number[]) => moments.map((moment) => ({ moment, at: moment }))

test('the upgrade stamps rows of an uncompared clock', async () => {
  const db = await sixth('sixth-app', [])
  expect(await db.unsentListening.toArray()).toMatchObject([
    { kind: 'marks', key: 'a', own: own(5) },
    { kind: 'position', key: 'a', own: own(7, 3), nonce: 'n', base: 2 },
  ])
  const [inactive] = await db.inactiveListening.toArray()
  expect(inactive?.unsent).toMatchObject({ kind: 'note', key: 'n', own: own(1, 4) })
})

test('the upgrade keeps stamps of the server', async () => {
  const db = await sixth('sixth-app-with-clock', [{ key: 'listeningClockBehind', value: 0 }])
  const [mark, ...others] = await db.unsentListening.toArray()
  expect([mark?.own, others, await db.meta.get('listeningClockBehind')]).toEqual([undefined, [], undefined])
  expect((await db.inactiveListening.toArray())[0]?.unsent).toBeUndefined()
})

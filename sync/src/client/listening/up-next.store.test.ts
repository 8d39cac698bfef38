import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { forgetPlayed, notePlayed, readUpNext, writeUpNext } from './up-next.store.ts'

async function library(name: string, ...uids: string[]): Promise<AppDatabase> {
  const db = new AppDatabase(name)
  await db.teachings.bulkPut(uids.map((uid, at) => aTeaching({ id: at + 1, uid })))
  return db
}
const listed = async (db: AppDatabase) => (await readUpNext(db)).teachings.map(({ uid }) => uid)
const before = async (db: AppDatabase) => (await readUpNext(db)).playedBefore.map(({ uid }) => uid)

test('lists only teachings with a recording', async () => {
  const db = await library('left', 'a', 'b', 'c')
  await writeUpNext({ type: 'addToEnd', uids: ['a', 'b', 'c'] }, 1, db)
  await notePlayed('a', db)
  await db.teachings.delete('a')
  await db.teachings.update('b', { audioUrl: null })
  expect(await listed(db)).toEqual(['c'])
  expect(await before(db)).toEqual([])
})

test('two tabs add to one order', async () => {
  const one = await library('tabs', 'a', 'b', 'c', 'd')
  const other = new AppDatabase('tabs')
  await Promise.all([
    writeUpNext({ type: 'addToEnd', uids: ['a', 'b'] }, 1, one),
    writeUpNext({ type: 'addToEnd', uids: ['c', 'd'] }, 1, other),
    writeUpNext({ type: 'playNext', uids: ['d'] }, 1, one),
  ])
  expect((await listed(one)).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(await listed(other)).toEqual(await listed(one))
})

test('remembers fifty played teachings', async () => {
  const uids = Array.from({ length: 51 }, (_, at) => `t${String(at).padStart(2, '0')}`)
  const db = await library('before', ...uids)
  for (const uid of uids) await notePlayed(uid, db)
  expect(await before(db)).toEqual(uids.slice(1).toReversed())
  await forgetPlayed('t50', db)
  await forgetPlayed('unknown', db)
  expect((await before(db))[0]).toBe('t49')
})

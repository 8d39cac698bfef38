import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { writeSyncState } from './sync-state.ts'
import { newestFirst, readNewestTeachings } from './teachings.store.ts'

test('sorts teachings by date, then number', () => {
  const rows = [
    aTeaching({ id: 9, date: '2026-11-15' }),
    aTeaching({ id: 2, date: '2026-11-22' }),
    aTeaching({ id: 3, date: '2026-11-22' }),
    aTeaching({ id: 1, date: '2026-11-29' }),
  ]
  expect(rows.toSorted(newestFirst).map(({ id }) => id)).toEqual([1, 3, 2, 9])
})

test('an empty library is known once it was pulled', async () => {
  const db = new AppDatabase(`newest-${Math.random()}`)
  expect(await readNewestTeachings(5, db)).toBeUndefined()
  await writeSyncState(db, { cursor: '1.0.x' })
  expect(await readNewestTeachings(5, db)).toEqual([])
  await db.delete()
})

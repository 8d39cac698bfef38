import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import { newestFirst } from './teachings.store.ts'

test('sorts teachings by date, then number', () => {
  const rows = [
    aTeaching({ id: 9, date: '2026-11-15' }),
    aTeaching({ id: 2, date: '2026-11-22' }),
    aTeaching({ id: 3, date: '2026-11-22' }),
    aTeaching({ id: 1, date: '2026-11-29' }),
  ]
  expect(rows.toSorted(newestFirst).map(({ id }) => id)).toEqual([1, 3, 2, 9])
})

import type { Columns } from '@fellowship/schema/sync/sync.schema'
import { describe, expect, test } from 'vitest'
import { fromColumns, toColumns, withPlaces, withUids } from './columns.ts'

describe('is refused', () => {
  test('columns of unequal length', () => {
    expect(() => fromColumns({ uid: ['a', 'b'], title: ['A'] })).toThrow('unequal length')
  })

  test.each([[[2]], [[0, -1]], [[1, 1]]])('the places %j of a page with two rows', (list) => {
    const tables = { teaching: { uid: ['a', 'b'] }, series: { teachings: [list] } }
    expect(() => withUids(tables)).toThrow('a row that the page does not have')
  })
})

test('rows come back, and a missing field is null', () => {
  expect(fromColumns(toColumns([{ uid: 'a', title: 'A' }, { uid: 'b' }]))).toEqual([
    { uid: 'a', title: 'A' },
    { uid: 'b', title: null },
  ])
})

test('teachings of series are named by steps, and come back as uids', () => {
  const tables = {
    teaching: { uid: ['a', 'b', 'c'] },
    series: { uid: ['s', 't'], teachings: [['c', 'a', 'in the bin', 'b'], []] },
  }
  const placed = withPlaces(tables)
  expect(placed['series']!['teachings']).toEqual([[2, -2, 'in the bin', 1], []])
  expect(withUids(placed)).toEqual(tables)
})

test.each<Record<string, Columns>>([
  { teaching: { uid: ['a'] } },
  { series: { uid: ['s'], title: ['S'] } },
  {},
])('tables without lists stay as they are: %j', (tables) => {
  expect(withPlaces(tables)).toBe(tables)
  expect(withUids(tables)).toBe(tables)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withPlaces, withUids } from './columns.ts'

const tables = (
  teachings: readonly (readonly unknown[])[],
  uids: readonly string[] = ['a', 'b', 'c', 'd'],
) => ({
  teaching: { uid: [...uids], title: uids.map((uid) => uid.toUpperCase()) },
  series: { uid: teachings.map((_, at) => `series-${at}`), teachings: teachings.map((list) => [...list]) },
})
const listsOf = (given: Record<string, Record<string, unknown[]>>) => given['series']!['teachings']

describe('a damaged page is refused', () => {
  test.each([[[4]], [[-1]], [[1, 3]], [[0.5]], [[2, -3]]])('the places %j', (list) => {
    expect(() => withUids(tables([list]))).toThrow('does not have')
  })

  test('places without a table of teachings', () => {
    expect(() => withUids({ series: { uid: ['s'], teachings: [[0]] } })).toThrow('does not have')
  })
})

test('stores each teaching as a step', () => {
  const packed = withPlaces(tables([['b', 'c', 'gone', 'a'], [], ['d']]))
  expect(listsOf(packed)).toEqual([[1, 1, 'gone', -2], [], [3]])
})

test('tables of an earlier server stay unchanged', () => {
  const given = tables([['b', 'gone']])
  expect(withUids(given)).toEqual(given)
  expect(withUids({ teaching: { uid: ['a'] } })).toEqual({ teaching: { uid: ['a'] } })
})

test('decoding restores any series', () => {
  const uid = fc.stringMatching(/^[0-9a-f]{4}$/)
  fc.assert(
    fc.property(fc.uniqueArray(uid), fc.array(fc.array(uid)), (uids, series) => {
      const given = tables(
        series.map((list, at) => [...list, ...uids.slice(at, at + 3)]),
        uids,
      )
      const sent = JSON.parse(JSON.stringify(withPlaces(given))) as typeof given
      expect(withUids(sent)).toEqual(given)
    }),
  )
})

import { expect, test } from 'vitest'
import { isWhole, withRange, type SentRange } from './backup.ts'

const sent = (...ranges: [start: number, end: number][]) =>
  ranges.reduce<SentRange[]>((all, [start, end]) => withRange(all, { start, end }), [])

test.each<[string, [number, number][]]>([
  ['nothing', []],
  ['the last byte alone', [[99, 99]]],
  ['all but the first byte', [[1, 99]]],
  [
    'all but a byte between',
    [
      [0, 49],
      [51, 99],
    ],
  ],
  [
    'a range of no bytes at its end',
    [
      [0, 49],
      [50, 49],
    ],
  ],
])('not whole: %s', (_, ranges) => {
  expect(isWhole(sent(...ranges), 100)).toBe(false)
})

test.each<[string, [number, number][]]>([
  ['at once', [[0, 99]]],
  [
    'cut and resumed before the place it had come to',
    [
      [0, 60],
      [40, 99],
    ],
  ],
  [
    'in parts that touch, the last one first',
    [
      [70, 99],
      [0, 29],
      [30, 69],
    ],
  ],
  [
    'some of it twice',
    [
      [0, 10],
      [5, 50],
      [0, 99],
      [20, 30],
    ],
  ],
])('whole: %s', (_, ranges) => {
  expect(isWhole(sent(...ranges), 100)).toBe(true)
})

import { expect, test } from 'vitest'
import { packSound, trimOf } from './sound-file.ts'

const soundOf = (seconds: number, silences: [number, number][]) =>
  packSound({ seconds, peaks: [1], silences })

test.each([
  ['no silence', 600, []],
  [
    'short silences at both ends',
    600,
    [
      [0, 4],
      [595, 600],
    ],
  ],
  ['a long silence in the middle', 600, [[200, 260]]],
  ['nothing but silence', 600, [[0, 600]]],
] as const)('cuts nothing off a recording with %s', (_, seconds, silences) => {
  expect(
    trimOf(
      soundOf(
        seconds,
        silences.map(([start, end]) => [start, end]),
      ),
    ),
  ).toBeUndefined()
})

test('cuts long silences at both ends down to a second', () => {
  expect(
    trimOf(
      soundOf(600, [
        [0.02, 20],
        [100, 130],
        [570, 599.98],
      ]),
    ),
  ).toEqual({ start: 19, end: 29 })
  expect(trimOf(soundOf(600, [[0, 10]]))).toEqual({ start: 9, end: 0 })
  expect(trimOf(soundOf(600.04, [[589.93, 600.04]]))).toEqual({ start: 0, end: 9 })
})

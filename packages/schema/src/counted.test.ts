import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, '0 recordings'],
  [1, '1 recording'],
  [2, '2 recordings'],
])('%i: %s', (count, words) => {
  expect(counted(count, 'recording')).toBe(words)
})

import { expect, test } from 'vitest'
import { moved } from './order-editor.tsx'

test.each([
  [0, -1, 'abc'],
  [2, 3, 'abc'],
  [1, 1, 'abc'],
  [1, 0, 'bac'],
  [0, 1, 'bac'],
  [0, 2, 'bca'],
  [2, 0, 'cab'],
])('the member at %i moves to %i: %s', (from, to, expected) => {
  expect(moved(['a', 'b', 'c'], from, to).join('')).toBe(expected)
})

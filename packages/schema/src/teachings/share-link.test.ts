import { expect, test } from 'vitest'
import { startSecond, sharePath } from './share-link.ts'

test.each([undefined, null, '', ' ', 'soon', '-5', -5, 0, Number.NaN, Number.POSITIVE_INFINITY, 86_400, {}])(
  '%j is no second to begin at',
  (value) => expect(startSecond(value)).toBeUndefined(),
)

test.each([
  [754, 754],
  ['754', 754],
  [12.9, 12],
])('%j is second %i', (value, second) => expect(startSecond(value)).toBe(second))

test('a link contains the teaching, and the second unless it is 0', () => {
  const uid = '6f1c1f0e-2b7a-4c58-a1de-000000000001'
  expect(sharePath(uid)).toBe(`/teaching?t=${uid}`)
  expect(sharePath(uid, 0.4)).toBe(`/teaching?t=${uid}`)
  expect(sharePath(uid, 754.8)).toBe(`/teaching?t=${uid}&at=754`)
})

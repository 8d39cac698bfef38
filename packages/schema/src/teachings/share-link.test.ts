import { expect, test } from 'vitest'
import { sharePath, shareText, startSecond } from './share-link.ts'

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

test('a message names the title, the speaker, the day, the passage and the church, a line each', () => {
  const teaching = {
    title: 'The_Faithful Shepherd',
    speaker: 'John Smith',
    date: '2026-10-04',
    scriptureReference: 'John 10:1-18',
    duration: '42:10',
  }
  expect(shareText(teaching)).toBe(
    '“The Faithful Shepherd” by John Smith\n4 October 2026\nJohn 10:1-18 · 42:10\nBulls Christian Fellowship',
  )
  expect(shareText({ ...teaching, title: 'John 10:1-18', duration: null })).toBe(
    '“John 10:1-18” by John Smith\n4 October 2026\nBulls Christian Fellowship',
  )
})

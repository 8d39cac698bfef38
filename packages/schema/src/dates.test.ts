import { expect, test } from 'vitest'
import { formatDate, isPlainDate, yearOf } from './dates.ts'

test.each([
  '',
  '2026',
  '2026-3-15',
  '2026-03-15T00:00:00Z',
  ' 2026-03-15',
  '15-03-2026',
  '2026/03/15',
  '2026-00-10',
  '2026-13-10',
  '2026-03-00',
  '2026-04-31',
  '2026-02-29',
  '1900-02-29',
  '0999-01-01',
  '2026-03-15\n',
])('%j is no date', (text) => {
  expect(isPlainDate(text)).toBe(false)
  expect(formatDate(text)).toBe(text)
})

test.each([
  ['2026-03-15', '15 March 2026'],
  ['2024-02-29', '29 February 2024'],
  ['2000-02-29', '29 February 2000'],
  ['2026-12-31', '31 December 2026'],
  ['2026-01-01', '1 January 2026'],
  // The days of New Zealand's clock changes.
  ['2026-04-05', '5 April 2026'],
  ['2026-09-27', '27 September 2026'],
  ['1000-01-01', '1 January 1000'],
])('%s is read as %s', (date, long) => {
  expect(isPlainDate(date)).toBe(true)
  expect(formatDate(date)).toBe(long)
  expect(yearOf(date)).toBe(Number(date.slice(0, 4)))
})

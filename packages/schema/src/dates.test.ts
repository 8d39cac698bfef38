import { expect, test } from 'vitest'
import { daysBetween, daysSince, formatDate, isPlainDate, plainDateAt, yearOf } from './dates.ts'

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
])('%j is not a date', (text) => {
  expect(isPlainDate(text)).toBe(false)
  expect(formatDate(text)).toBe(text)
})

test.each([
  ['2026-03-15', '15 March 2026'],
  ['2024-02-29', '29 February 2024'],
  ['2000-02-29', '29 February 2000'],
  ['2026-12-31', '31 December 2026'],
  ['2026-01-01', '1 January 2026'],
  // Start and end of daylight saving in New Zealand.
  ['2026-04-05', '5 April 2026'],
  ['2026-09-27', '27 September 2026'],
  ['1000-01-01', '1 January 1000'],
])('formats %s as %s', (date, long) => {
  expect(isPlainDate(date)).toBe(true)
  expect(formatDate(date)).toBe(long)
  expect(yearOf(date)).toBe(Number(date.slice(0, 4)))
})

test.each([
  ['2026-03-15', '2026-03-15', 0],
  ['2026-02-28', '2026-03-01', 1],
  ['2024-02-28', '2024-03-01', 2],
  ['2026-01-01', '2025-12-31', -1],
  // Across the end and the start of daylight saving, on days of 25 and 23 hours.
  ['2026-04-04', '2026-04-06', 2],
  ['2026-09-26', '2026-09-28', 2],
])('counts the days from %s to %s: %i', (from, to, days) => {
  expect(daysBetween(from, to)).toBe(days)
})

test.each([
  ['late in the evening, seen in the morning', '2026-11-22T10:30Z', '2026-11-22T19:00Z', 1],
  ['in the morning, seen in the evening', '2026-11-21T19:00Z', '2026-11-22T10:30Z', 0],
  ['before the 25 hours of a clock change', '2026-04-04T10:59Z', '2026-04-05T12:00Z', 2],
  ['nearly 48 hours on', '2026-11-20T11:00Z', '2026-11-22T10:59Z', 1],
])('a day ends at midnight of the place: %s', (_, moment, now, days) => {
  expect(daysSince(new Date(moment), new Date(now), 'Pacific/Auckland')).toBe(days)
})

test('formats the year first in every engine', () => {
  const given = new Date('2026-11-22T23:30:00Z')
  const engine = Intl.DateTimeFormat.prototype
  const own = Object.getOwnPropertyDescriptor(engine, 'format')!
  Object.defineProperty(engine, 'format', { get: () => () => '11/23/2026', configurable: true })
  try {
    expect(plainDateAt(given, 'Pacific/Auckland')).toBe('2026-11-23')
    expect(plainDateAt(given, 'UTC')).toBe('2026-11-22')
  } finally {
    Object.defineProperty(engine, 'format', own)
  }
})

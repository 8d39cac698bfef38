import { expect, test } from 'vitest'
import { shortDate } from './short-date.ts'

const now = new Date(2026, 10, 27)

test.each([
  ['', ''],
  ['Sunday', ''],
  ['2026-10-04', '4 Oct'],
  ['2025-10-04', '4 Oct 2025'],
  ['2027-01-03', '3 Jan 2027'],
])('"%s" is "%s"', (date, words) => expect(shortDate(date, now)).toBe(words))

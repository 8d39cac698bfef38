import { expect, test } from 'vitest'
import { shownMoment } from './shown-moment.ts'

// 01:05 UTC on 15 March 2026 is 14:05 in Auckland, in summer time.
const summer = '2026-03-15T01:05:09.000Z'

test.each([
  ['moment', '15 Mar 2026, 2:05 PM'],
  ['schedule', 'Sunday, 15 March 2026 at 2:05 PM'],
  ['day', '15 March 2026'],
  ['time', '2:05 PM'],
] as const)('the style %s shows %s', (style, shown) => {
  expect(plainSpaces(shownMoment(summer, style))).toBe(shown)
})

test('a moment without a style has date and time', () => {
  expect(shownMoment(summer)).toBe(shownMoment(summer, 'moment'))
})

test('a moment may be given in milliseconds', () => {
  expect(shownMoment(Date.parse(summer))).toBe(shownMoment(summer))
})

test.each([
  ['the day in Auckland, not in UTC', '2026-03-14T11:30:00.000Z', '15 Mar 2026, 12:30 AM'],
  ['standard time from April on', '2026-06-15T01:05:00.000Z', '15 Jun 2026, 1:05 PM'],
  ['the last minute of summer time', '2026-04-04T13:59:00.000Z', '5 Apr 2026, 2:59 AM'],
  ['the first minute of standard time', '2026-04-04T14:00:00.000Z', '5 Apr 2026, 2:00 AM'],
])('shows %s', (_, iso, shown) => {
  expect(plainSpaces(shownMoment(iso))).toBe(shown)
})

test('is the same on a device in another time zone', () => {
  const zone = process.env['TZ']
  process.env['TZ'] = 'America/New_York'
  try {
    expect(plainSpaces(shownMoment(summer, 'time'))).toBe('2:05 PM')
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

test('an unreadable moment comes back as it is', () => {
  expect(shownMoment('some day')).toBe('some day')
})

/** Some versions of the locale tables put a narrow no-break space before 'pm'. */
const plainSpaces = (text: string) => text.replaceAll(/\s/g, ' ')

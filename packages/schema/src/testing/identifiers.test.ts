import { expect, test } from 'vitest'
import { timeRangeIdentifier, timeRangeLabel, toIdentifier } from './identifiers.ts'

test.each([
  '',
  'Sunday',
  'Sunday_11_00',
  'Sunday_11_00_14',
  'Sunday_11_00_14_60',
  'Sunday_24_00_14_00',
  'Sunday_13_00_PM_2_00_PM',
  'Sunday_0_30_AM_2_00_PM',
  'Sunday 11:00 14:00',
  '_11_00_14_00',
  'Sunday_11_00_14_00_extra',
])('%j is not a time range', (identifier) => {
  expect(timeRangeLabel(identifier)).toBeNull()
})

test.each([
  ['Sunday 11:00 14:00', 'Sunday_11_00_14_00'],
  ['  Sunday  morning ', 'Sunday_morning'],
  ['10:00 AM', '10_00_AM'],
  ['already_one', 'already_one'],
])('the identifier of %j is %j', (text, identifier) => {
  expect(toIdentifier(text)).toBe(identifier)
})

test.each([
  ['Sunday', '11:00', '14:00', 'Sunday_11_00_14_00', 'Sunday 11:00–14:00'],
  ['Sunday', '11:00 AM', '2:00 PM', 'Sunday_11_00_AM_2_00_PM', 'Sunday 11:00 AM–2:00 PM'],
  ['Rātapu', '9:30', '10:15', 'Rātapu_9_30_10_15', 'Rātapu 9:30–10:15'],
])('%s %s to %s', (day, start, end, identifier, label) => {
  expect(timeRangeIdentifier(day, start, end)).toBe(identifier)
  expect(timeRangeLabel(identifier)).toBe(label)
})

import { expect, test } from 'vitest'
import { dateInName, offeredDates } from './offered-date.ts'

test.each([
  'New Recording 12.m4a',
  'zoom recording.mp3',
  'IMG_20261304_voice.m4a',
  'track 202610045.mp3',
  '31.2.2026.mp3',
  // Two dates: which of them is it?
  '2026-10-04 to 2026-10-11.mp3',
])('%j says no date', (name) => expect(dateInName(name)).toBeUndefined())

test.each([
  ['IMG_20261004_voice.m4a', '2026-10-04'],
  ['AUD-20261004-WA0003.m4a', '2026-10-04'],
  ['2026_10_04 evening.mp3', '2026-10-04'],
  ['4.10.2026.mp3', '2026-10-04'],
  ['sermon 04-10-2026.mp3', '2026-10-04'],
  ['4 Oct 2026 Smith.wav', '2026-10-04'],
  ['4th_October_2026.wav', '2026-10-04'],
  ['20261004-101500.mp3', '2026-10-04'],
])('%j says %s', (name, date) => expect(dateInName(name)).toBe(date))

test('offers the last Sunday and a Sunday of the file', () => {
  expect(offeredDates(undefined, '2026-11-23')).toEqual([{ date: '2026-11-22', from: 'sunday' }])
  expect(offeredDates('2026-11-22', '2026-11-22')).toEqual([{ date: '2026-11-22', from: 'sunday' }])
  expect(offeredDates('2026-11-20', '2026-11-23')).toEqual([{ date: '2026-11-22', from: 'sunday' }])
  expect(offeredDates('2026-11-15', '2026-11-23')).toEqual([
    { date: '2026-11-15', from: 'file' },
    { date: '2026-11-22', from: 'sunday' },
  ])
  // A clock that runs ahead.
  expect(offeredDates('2027-01-03', '2026-11-23')).toHaveLength(1)
})

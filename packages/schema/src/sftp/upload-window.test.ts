import { expect, test } from 'vitest'
import { church, setChurch } from '../church.ts'
import { churchDate } from '../dates.ts'
import { nextWindow, windowOpen } from './upload-window.ts'

const at = (time: string) => new Date(time)

test.each([
  ['a second before it opens', '2026-11-22T10:59:59+13:00', false],
  ['as it opens', '2026-11-22T11:00:00+13:00', true],
  ['in its last second', '2026-11-22T13:59:59+13:00', true],
  ['as it closes', '2026-11-22T14:00:00+13:00', false],
  ['on a Saturday', '2026-11-21T12:00:00+13:00', false],
  ['on a Monday', '2026-11-23T12:00:00+13:00', false],
  ['while it is Sunday in London, and Monday here', '2026-11-22T12:00:00+00:00', false],
  // Daylight saving ended at 3 AM: eleven hours after midnight it was 10 AM.
  ['on the Sunday that winter time begins, an hour early', '2026-04-05T10:30:00+12:00', false],
  ['on the Sunday that winter time begins', '2026-04-05T11:00:00+12:00', true],
  ['on the Sunday that winter time begins, at its end', '2026-04-05T14:00:00+12:00', false],
  // Daylight saving started at 2 AM: eleven hours after midnight it was noon.
  ['on the Sunday that summer time begins', '2026-09-27T11:00:00+13:00', true],
  ['on the Sunday that summer time begins, an hour early', '2026-09-27T10:59:00+13:00', false],
] as const)('%s', (_when, time, open) => {
  expect(windowOpen(at(time))).toBe(open)
})

test.each([
  ['2026-11-22T09:00+13:00', '2026-11-22T11:00+13:00', '2026-11-22T14:00+13:00'],
  ['2026-11-22T12:00+13:00', '2026-11-22T11:00+13:00', '2026-11-22T14:00+13:00'],
  ['2026-11-22T14:00+13:00', '2026-11-29T11:00+13:00', '2026-11-29T14:00+13:00'],
  // From summer time into winter time, and back.
  ['2026-03-29T15:00+13:00', '2026-04-05T11:00+12:00', '2026-04-05T14:00+12:00'],
  ['2026-09-20T15:00+12:00', '2026-09-27T11:00+13:00', '2026-09-27T14:00+13:00'],
  ['2026-12-31T15:00+13:00', '2027-01-03T11:00+13:00', '2027-01-03T14:00+13:00'],
])('the window after %s is %s to %s', (now, opens, closes) => {
  expect(nextWindow(at(now))).toEqual({ opens: at(opens), closes: at(closes) })
})

test('every Sunday has one window of three hours', () => {
  const hour = 60 * 60_000
  let open = 0
  let openings = 0
  let before = false
  for (let time = Date.UTC(2026, 0, 1); time < Date.UTC(2028, 0, 1); time += hour) {
    const now = windowOpen(new Date(time))
    if (now) open++
    if (now && !before) openings++
    before = now
  }
  expect([openings, open / openings]).toEqual([104, 3])
})

test.each([
  // Across the date line from its neighbours, and without summer time.
  ['Pacific/Apia', '2026-11-28T22:00Z', '2026-11-29T01:00Z'],
  // A quarter of an hour off, and in summer time.
  ['Pacific/Chatham', '2026-11-28T21:15Z', '2026-11-29T00:15Z'],
  ['Asia/Kathmandu', '2026-11-29T05:15Z', '2026-11-29T08:15Z'],
  // On the Sundays that summer time begins and ends, whose winter is its standard time.
  ['Europe/Dublin', '2026-03-29T10:00Z', '2026-03-29T13:00Z'],
  ['Europe/Dublin', '2026-10-25T11:00Z', '2026-10-25T14:00Z'],
  ['America/Sao_Paulo', '2026-11-29T14:00Z', '2026-11-29T17:00Z'],
])('the window in %s is %s to %s', (timeZone, opens, closes) => {
  setChurch({ ...church(), timeZone })
  const [first, last] = [at(opens), at(closes)]
  const dayBefore = new Date(first.getTime() - 20 * 60 * 60_000)
  expect(nextWindow(dayBefore)).toEqual({ opens: first, closes: last })
  const around = [first.getTime() - 1, first.getTime(), last.getTime() - 1, last.getTime()]
  expect(around.map((time) => windowOpen(new Date(time)))).toEqual([false, true, true, false])
  expect(churchDate(first)).toBe(closes.slice(0, 10))
})

import { expect, test } from 'vitest'
import { comesNearEnd, isHeard, isNearEnd, isUnfinished } from './listening-marks.ts'

const at = (seconds: number, duration = 2400, listenedAt = 100) => ({
  seconds,
  duration,
  listenedAt,
  earlier: [],
})

test.each([
  ['before the last two minutes', 2279, 2400, false],
  ['in the last two minutes', 2280, 2400, true],
  ['before 97 % of a long one', 9699, 10_000, false],
  ['at 97 % of a long one', 9700, 10_000, true],
  ['in the last two minutes of a short one', 90, 180, false],
  ['at 97 % of a short one', 586, 599, true],
  ['where a short one would begin anew', 160, 180, true],
])('%s: near the end is %#', (_, seconds, duration, near) => {
  expect(isNearEnd({ seconds, duration })).toBe(near)
})

test('comes near the end only once', () => {
  expect(comesNearEnd(undefined, at(2300))).toBe(true)
  expect(comesNearEnd(at(2000), at(2300))).toBe(true)
  expect(comesNearEnd(at(2290), at(2300))).toBe(false)
  expect(comesNearEnd(at(2000), at(2100))).toBe(false)
})

test('counts as heard by the mark or the position', () => {
  expect(isHeard(undefined, undefined)).toBe(false)
  expect(isHeard(at(2300), undefined)).toBe(true)
  expect(isHeard(at(2300), { heard: { on: false, at: 1 } })).toBe(false)
  expect(isHeard(undefined, { heard: { on: true, at: 1 } })).toBe(true)
})

test('is unfinished between its beginning and its end', () => {
  expect(isUnfinished(undefined, undefined)).toBe(false)
  expect(isUnfinished(at(2300), undefined)).toBe(false)
  expect(isUnfinished(at(600), { heard: { on: true, at: 200 } })).toBe(false)
  expect(isUnfinished(at(600), { heard: { on: true, at: 50 } })).toBe(true)
  expect(isUnfinished(at(600), { heard: { on: false, at: 200 } })).toBe(true)
})

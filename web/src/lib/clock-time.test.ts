import { describe, expect, test } from 'vitest'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { clockTime, spokenTime } from './clock-time.ts'

describe('clockTime', () => {
  test.each([null, Number.NaN, Infinity, -1])('shows no time for %s', (seconds) => {
    expect(clockTime(seconds)).toBe('–:––')
  })
  test.each([
    [0, '0:00'],
    [7.9, '0:07'],
    [2292, '38:12'],
    [3599, '59:59'],
    [3600, '1:00:00'],
    [3729, '1:02:09'],
  ])('%s s is %s', (seconds, shown) => {
    expect(clockTime(seconds)).toBe(shown)
  })
})

describe('spokenTime', () => {
  test.each([
    [0, '0 seconds'],
    [61, '1 minute 1 second'],
    [3729, '1 hour 2 minutes 9 seconds'],
    [7200, '2 hours'],
  ])('%s s is %s', (seconds, spoken) => {
    expect(spokenTime(seconds)).toBe(spoken)
  })
})

describe('secondsOf', () => {
  test.each([null, '', '38', '38:60', '1:2', 'about 40:00', '-1:00'])('refuses %j', (duration) => {
    expect(secondsOf(duration)).toBeNull()
  })
  test.each([
    ['0:07', 7],
    ['38:12', 2292],
    ['1:02:09', 3729],
  ])('%s is %s s', (duration, seconds) => {
    expect(secondsOf(duration)).toBe(seconds)
  })
})

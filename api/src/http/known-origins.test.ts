import { expect, test } from 'vitest'
import { testClock } from '../machine/clock.ts'
import { knownOrigins } from './known-origins.ts'

test('invented names do not replace the names in use', () => {
  const clock = testClock('2026-11-22T10:00:00Z')
  const isKnown = knownOrigins(clock)
  expect(isKnown('http://church')).toBe(true)
  const admitted = Array.from({ length: 1000 }, (_, at) => isKnown(`http://h${at}`)).filter(Boolean)
  expect(admitted).toHaveLength(4)
  expect(isKnown('http://h500')).toBe(false)
  clock.advance(10_001)
  expect(isKnown('http://church')).toBe(true)
  for (let minute = 0; minute < 60; minute++) {
    expect(isKnown('http://church')).toBe(true)
    clock.advance(10_001)
    expect(isKnown(`http://later${minute}`)).toBe(true)
  }
  expect(isKnown('http://church')).toBe(true)
})

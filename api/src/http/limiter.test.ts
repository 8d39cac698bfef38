import { expect, test } from 'vitest'
import { Problem } from '@fellowship/schema/problem'
import { testClock } from '../machine/clock.ts'
import { concurrencyLimiter, memoryLimiter, refusalPace } from './limiter.ts'

test('limits running work per key and in total', () => {
  const places = concurrencyLimiter({ each: 2, all: 3 }, () => new Problem('rate_limited'))
  const leave = [places.enter('a'), places.enter('a')]
  expect(() => places.enter('a')).toThrow(Problem)
  leave.push(places.enter('b'))
  expect(() => places.enter('c')).toThrow(Problem)
  for (const each of leave) each()
  for (const key of ['c', 'd', 'e']) places.enter(key)
  expect(() => places.enter('f')).toThrow(Problem)
})

test('the window of attempts slides', () => {
  const clock = testClock('2026-11-23T00:00:00Z')
  const limit = memoryLimiter(clock, { attempts: 2, perMinutes: 5 }, (minutes) => `${minutes} minutes`)
  const refusal = (retryAfter: number, message: string): unknown =>
    expect.objectContaining({ code: 'rate_limited', extra: { retryAfter }, message })
  limit.take('a')
  clock.advance(60_000)
  limit.take('a')
  expect(() => limit.take('a')).toThrow(refusal(240, '4 minutes'))
  limit.take('b')
  clock.advance(240_000)
  limit.take('a')
  expect(() => limit.take('a')).toThrow(refusal(60, '1 minutes'))
})

function clocked() {
  let now = 0
  const pace = refusalPace(() => now)
  const waits = (address: string, count: number, status = 429) =>
    Array.from({ length: count }, () => pace.waitFor(address, status))
  return { pace, waits, pass: (ms: number) => (now += ms) }
}

test('delays refusals for a limit from the fifty-first on', () => {
  const { waits, pass } = clocked()
  expect(waits('1.2.3.4', 52)).toEqual([...Array.from({ length: 50 }, () => 0), 1000, 1000])
  pass(9_999)
  expect(waits('1.2.3.4', 1)).toEqual([1000])
  pass(1)
  expect(waits('1.2.3.4', 1)).toEqual([0])
})

test('delays other refusals from the 201st on', () => {
  const { waits } = clocked()
  expect(waits('1.2.3.4', 201, 400)).toEqual([...Array.from({ length: 200 }, () => 0), 1000])
})

test('refusals of one address do not delay another', () => {
  const { waits } = clocked()
  waits('1.2.3.4', 60)
  expect(waits('5.6.7.8', 1)).toEqual([0])
})

test('two thousand callers wait at most', () => {
  const { pace, waits } = clocked()
  waits('1.2.3.4', 50)
  expect(new Set(waits('1.2.3.4', 2_000))).toEqual(new Set([1000]))
  expect(waits('1.2.3.4', 1)).toEqual([0])
  pace.answered()
  expect(waits('1.2.3.4', 1)).toEqual([1000])
})

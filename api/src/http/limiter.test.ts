import { expect, test } from 'vitest'
import { Problem } from '@fellowship/schema/problem'
import { testClock } from '../machine/clock.ts'
import { concurrencyLimiter, memoryLimiter } from './limiter.ts'

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
  const refusal = (retryAfter: number, message: string) =>
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

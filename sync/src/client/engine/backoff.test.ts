import { expect, test } from 'vitest'
import { CallError, TooManyRequests } from '../../call/call-error.ts'
import { afterFailure, backoffMs, dueAt, endBackoff } from './backoff.ts'

const hour = 60 * 60_000
const busy = (retryAfter: string) =>
  new CallError(503, 'busy', { statusText: '', headers: new Headers({ 'retry-after': retryAfter }) })

test('doubles the wait up to five minutes', () => {
  expect([0, 1, 2, 20].map((attempts) => backoffMs(attempts, 1))).toEqual([2_000, 4_000, 8_000, 300_000])
  expect(backoffMs(5, 0)).toBe(0)
})

test.each([
  ['seconds', busy('90'), 90_000],
  ['a date', busy(new Date(Date.now() + 90_500).toUTCString()), 90_000],
  ['a year: an hour at most', busy('31536000'), hour],
  ['nothing that can be read', busy('soon'), 0],
  ['nothing', new CallError(503, ''), 0],
])('given a Retry-After of %s, keeps that time', (_, error, ms) => {
  const { notBefore = 1_000 } = afterFailure({ attempts: 0 }, error, 1_000, 0)
  expect(Math.abs(notBefore - 1_000 - ms)).toBeLessThan(2_000)
})

test('a rate-limited request is no failure', () => {
  expect(afterFailure({ attempts: 3 }, new TooManyRequests(9_000), 1_000, 1)).toEqual({
    attempts: 3,
    nextAttemptAt: 9_000,
  })
})

test('an entry is due at the later time', () => {
  expect(dueAt({ nextAttemptAt: 2_000, notBefore: 5_000 }, 1_000)).toBe(5_000)
  expect(dueAt({ nextAttemptAt: 1_000 + 300_001 }, 1_000)).toBe(0)
  expect(dueAt({ nextAttemptAt: 0, notBefore: 1_000 + hour + 1 }, 1_000)).toBe(0)
})

test('a person also ends the wait of the server', () => {
  const entry = (code: string) => ({
    attempts: 2,
    nextAttemptAt: 9,
    notBefore: 10,
    lastError: { code },
  })
  const [unanswered, refused] = [entry('network'), entry('503')]
  expect([unanswered, refused].map(endBackoff('network'))).toEqual([true, false])
  expect(unanswered).toMatchObject({ attempts: 2, nextAttemptAt: 0, notBefore: 10 })
  expect(endBackoff('asked')(refused)).toBe(true)
  expect(refused).toMatchObject({ attempts: 2, nextAttemptAt: 0, notBefore: 0 })
})

test('leaves due entries alone', () => {
  const due = { attempts: 2, nextAttemptAt: 0 }
  expect([endBackoff('asked')(due), endBackoff('network')({ ...due, notBefore: 0 })]).toEqual([false, false])
  expect(due).toEqual({ attempts: 2, nextAttemptAt: 0 })
  const asked = { ...due, notBefore: 10 }
  expect(endBackoff('asked')(asked)).toBe(true)
  expect(asked).toEqual({ attempts: 2, nextAttemptAt: 0, notBefore: 0 })
})

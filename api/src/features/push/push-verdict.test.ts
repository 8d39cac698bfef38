import { expect, test } from 'vitest'
import { PrivateAddress } from '../../machine/public-lookup.ts'
import { mostTries, pushVerdict } from './push-send.ts'

const answer = (status: number, retryAfterMs?: number) => ({ status, retryAfterMs })

test.each([
  [404, 'gone'],
  [410, 'gone'],
  [301, 'refused'],
  [400, 'refused'],
  [401, 'refused'],
  [403, 'refused'],
  [413, 'refused'],
  [200, 'sent'],
  [201, 'sent'],
  [202, 'sent'],
  [408, 'retry'],
  [425, 'retry'],
  [429, 'retry'],
  [500, 'retry'],
  [503, 'retry'],
])('%i: %s', (status, outcome) => {
  expect(pushVerdict(answer(status), 1, 0.5).outcome).toBe(outcome)
})

test('drops private addresses and retries lost connections', () => {
  expect(pushVerdict(new PrivateAddress(), 1, 0.5)).toEqual({ outcome: 'gone' })
  expect(pushVerdict(new Error('ECONNRESET'), 1, 1)).toEqual({
    outcome: 'retry',
    waitMs: 60_000,
    pausesHost: false,
  })
})

test('backs off, and gives up after ten attempts', () => {
  const waits = Array.from({ length: mostTries }, (_, at) => pushVerdict(answer(503), at + 1, 1))
  expect(waits.map((verdict) => ('waitMs' in verdict ? verdict.waitMs / 60_000 : verdict.outcome))).toEqual([
    1,
    2,
    4,
    8,
    16,
    32,
    64,
    128,
    256,
    'refused',
  ])
})

test('respects Retry-After for the whole service, up to a day', () => {
  expect(pushVerdict(answer(429, 3_600_000), 1, 0)).toEqual({
    outcome: 'retry',
    waitMs: 3_600_000,
    pausesHost: true,
  })
  expect(pushVerdict(answer(429, 1e12), 1, 0)).toMatchObject({ waitMs: 86_400_000 })
})

import { expect, test, vi } from 'vitest'
import { failureOfBoth } from './failure-of-both.ts'

const offline = new Error('no line')

test('says nothing while the device is still being read', () => {
  const say = vi.fn()
  const failure = failureOfBoth(say)
  failure.serverFailed(offline)
  expect(say).not.toHaveBeenCalled()
  failure.shown()
  failure.deviceHasNone()
  expect(say).not.toHaveBeenCalled()
})

test('says nothing while the server is still asked', () => {
  const say = vi.fn()
  failureOfBoth(say).deviceHasNone()
  expect(say).not.toHaveBeenCalled()
})

test.each([
  ['the server failed first', ['serverFailed', 'deviceHasNone']],
  ['the device was read first', ['deviceHasNone', 'serverFailed']],
] as const)('says it when neither has it: %s', (_, order) => {
  const say = vi.fn()
  const failure = failureOfBoth(say)
  for (const step of order) failure[step](offline)
  expect(say).toHaveBeenCalledExactlyOnceWith(offline)
})

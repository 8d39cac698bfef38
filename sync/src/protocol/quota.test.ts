import { expect, test } from 'vitest'
import { isQuota } from './quota.ts'

const quota = new DOMException('Full', 'QuotaExceededError')

test.each([
  ['of the browser', quota, true],
  ['wrapped by Dexie', { name: 'AbortError', inner: quota }, true],
  ['of another kind', new DOMException('Stopped', 'AbortError'), false],
  ['that is missing', undefined, false],
])('an error %s says that storage is full: %s', (_, error, expected) => {
  expect(isQuota(error)).toBe(expected)
})

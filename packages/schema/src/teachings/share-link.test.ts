import { expect, test } from 'vitest'
import { aTeaching } from '../testing/builders.ts'
import { pathByUid, sharePath, shareText, startSecond } from './share-link.ts'

test.each([undefined, null, '', ' ', 'soon', '-5', -5, 0, Number.NaN, Number.POSITIVE_INFINITY, 86_400, {}])(
  '%j is no second to begin at',
  (value) => expect(startSecond(value)).toBeUndefined(),
)

test.each([
  [754, 754],
  ['754', 754],
  [12.9, 12],
])('%j is second %i', (value, second) => expect(startSecond(value)).toBe(second))

test('a link contains the teaching and the second', () => {
  const path = '/teaching/2026-11-22-hope-in-christ-2f5f0c9b7e01'
  expect(sharePath(aTeaching())).toBe(path)
  expect(sharePath(aTeaching(), 0.4)).toBe(path)
  expect(sharePath(aTeaching(), 754.8)).toBe(`${path}?at=754`)
})

test.each([
  ['6f1c1f0e-2b7a-4c58-a1de-000000000001', undefined, '/teaching/000000000001'],
  ['6F1C1F0E-2B7A-4C58-A1DE-2F5F0C9B7E01', 90, '/teaching/2F5F0C9B7E01?at=90'],
  ['6f1c1f0e-2b7a-4c58-a1de-000000000001', 'soon', '/teaching/000000000001'],
  ['../../x?y#z', '30', '/teaching/..%2F..%2Fx%3Fy%23z?at=30'],
])('uid %j and second %j make %s', (uid, at, path) => {
  expect(pathByUid(uid, at)).toBe(path)
})

test('a message has title, speaker, day, passage and church', () => {
  const teaching = {
    title: 'The_Faithful Shepherd',
    speaker: 'John Smith',
    date: '2026-10-04',
    scriptureReference: 'John 10:1-18',
    duration: '42:10',
  }
  expect(shareText(teaching)).toBe(
    '“The Faithful Shepherd” by John Smith\n4 October 2026\nJohn 10:1-18 · 42:10\nBulls Christian Fellowship',
  )
  expect(shareText({ ...teaching, title: 'John 10:1-18', duration: null })).toBe(
    '“John 10:1-18” by John Smith\n4 October 2026\nBulls Christian Fellowship',
  )
})

import { expect, test } from 'vitest'
import type { Cursor } from '../protocol/cursor.ts'
import { canContinue } from './change-feed.ts'

const clock = { epoch: 'this', rev: 20, floor: 10 }

test.each<[string, Cursor | undefined, boolean]>([
  ['no cursor', undefined, false],
  ['one of another epoch', { epoch: 'before', rev: 15 }, false],
  ['one before purged tombstones', { epoch: 'this', rev: 9 }, false],
  ['one ahead of the server, as after a disk was put back', { epoch: 'this', rev: 21 }, false],
  ['one at the last purged tombstone', { epoch: 'this', rev: 10 }, true],
  ['one between', { epoch: 'this', rev: 15 }, true],
  ['one that is up to date', { epoch: 'this', rev: 20 }, true],
])('%s: whether a delta continues from it', (_, cursor, continues) => {
  expect(canContinue(cursor, clock)).toBe(continues)
})

import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { crcWatch } from './crc-watch.ts'

const content = randomBytes(1_000)
const entry = {
  name: 'a.mp3',
  bytes: content.length,
  crc32: crc32(content),
  modified: new Date(),
  source: { content },
}
const rotten = Buffer.from(content)
rotten[999]! ^= 1

/** Reads the ranges of `bytes` in this order, and tells whether they count as damaged. */
function damagedAfter(bytes: Buffer, ranges: readonly [from: number, to: number][]): boolean {
  const watch = crcWatch()
  for (const [from, to] of ranges) watch.read(entry, from, bytes.subarray(from, to))
  return watch.damaged.has(entry)
}

test.each<[string, [number, number][]]>([
  ['at once', [[0, 1_000]]],
  [
    'in pieces',
    [
      [0, 400],
      [400, 401],
      [401, 1_000],
    ],
  ],
  [
    'in pieces that overlap, some read twice',
    [
      [0, 400],
      [100, 300],
      [200, 600],
      [0, 400],
      [500, 1_000],
    ],
  ],
])('of what is read %s, only other bytes are damaged', (_how, ranges) => {
  expect(damagedAfter(rotten, ranges)).toBe(true)
  expect(damagedAfter(content, ranges)).toBe(false)
})

test.each<[string, [number, number][]]>([
  ['the first byte', [[1, 1_000]]],
  ['the last byte', [[0, 999]]],
  [
    'a byte between',
    [
      [0, 400],
      [401, 1_000],
    ],
  ],
])('nothing is said of what was read without %s', (_what, ranges) => {
  expect(damagedAfter(rotten, ranges)).toBe(false)
})

test('a whole file counts once more after it was damaged', () => {
  const watch = crcWatch()
  watch.read(entry, 0, rotten)
  watch.read({ ...entry }, 0, content)
  expect([...watch.damaged]).toEqual([entry])
})

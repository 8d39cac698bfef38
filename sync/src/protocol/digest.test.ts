import { expect, test } from 'vitest'
import { agrees, digestsOf } from './digest.ts'

const rows = [
  { kind: 'teaching', uid: 'a', rev: 1 },
  { kind: 'series', uid: 'b', rev: 2 },
]
const here = digestsOf(rows)

test.each([
  ['the same rows', digestsOf([...rows].reverse()), true],
  ['no digest', {}, true],
  ['no digest of a later kind', { ...here, digests: {} }, true],
  ['one of the first kinds changed', digestsOf([{ ...rows[0]!, rev: 3 }, rows[1]!]), false],
  ['one of a later kind changed', digestsOf([rows[0]!, { ...rows[1]!, rev: 3 }]), false],
  ['another count', { ...here, digest: { ...here.digest, count: 2 } }, false],
])('a page with %s agrees with the replica: %s', (_, page, expected) => {
  expect(agrees(here, page)).toBe(expected)
})

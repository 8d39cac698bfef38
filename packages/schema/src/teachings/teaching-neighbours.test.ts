import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aTeaching } from '../testing/builders.ts'
import { neighboursOf, rowsAround } from './teaching-neighbours.ts'
import type { Teaching } from './teachings.schema.ts'

const row = (n: number, given: Partial<Teaching> = {}) =>
  aTeaching({ id: n, uid: `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`, ...given })

test('a teaching alone has no neighbours', () => {
  const only = row(1)
  expect(neighboursOf([only], only)).toEqual({
    newer: undefined,
    older: undefined,
    bySpeaker: [],
    book: 'Romans',
    onBook: [],
  })
})

test('an unknown teaching has no neighbours', () => {
  const { newer, older } = neighboursOf([row(2), row(3)], row(1))
  expect([newer, older]).toEqual([undefined, undefined])
})

test('has both neighbours and others of speaker and book', () => {
  const rows = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) =>
    row(n, {
      speaker: n % 2 ? 'John Smith' : n === 4 ? 'john smith' : 'Jane Doe',
      scriptureReference: n > 5 ? 'Romans 8' : null,
    }),
  )
  const found = neighboursOf(rows, rows[2]!)
  const ids = (some: readonly Teaching[]) => some.map(({ id }) => id)
  expect([found.newer?.id, found.older?.id]).toEqual([8, 6])
  expect([ids(found.bySpeaker), found.book, ids(found.onBook)]).toEqual([[9, 5, 4], 'Romans', [9, 8, 6]])
})

test('made from its own rows it is the same again', () => {
  const speakers = fc.constantFrom('John Smith', 'JOHN SMITH', 'Jane Doe', '…')
  const references = fc.constantFrom(null, 'Romans 8', 'John 3:16; Romans 1', 'Hope')
  const library = fc.array(fc.record({ speaker: speakers, scriptureReference: references }), {
    minLength: 1,
    maxLength: 30,
  })
  fc.assert(
    fc.property(library, fc.nat(), (given, at) => {
      const rows = given.map((each, n) => row(n, each))
      const teaching = rows[at % rows.length]!
      const around = rowsAround(rows, teaching)
      expect(neighboursOf(around, teaching)).toEqual(neighboursOf(rows, teaching))
      expect(around.length).toBeLessThanOrEqual(9)
    }),
  )
})

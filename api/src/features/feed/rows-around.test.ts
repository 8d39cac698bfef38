import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { rowsAround } from '@fellowship/schema/teachings/teaching-neighbours'
import { rowsAroundIn } from './live-library.ts'

const speakers = fc.constantFrom('John Smith', 'JOHN SMITH', 'Jane Doe', '…', '–')
const references = fc.constantFrom(null, 'Romans 8', 'John 3:16; Romans 1', 'Hope')
const library = fc.array(fc.record({ speaker: speakers, scriptureReference: references }), {
  minLength: 1,
  maxLength: 30,
})
const row = (n: number, given: Parameters<typeof aTeaching>[0] = {}) =>
  aTeaching({ id: n, uid: `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`, ...given })

test('finds the neighbours of an unknown teaching', () => {
  const rows = [row(3), row(2)]
  expect(rowsAroundIn(rows)(row(1))).toEqual(rowsAround(rows, row(1)))
})

test('finds every teaching’s neighbours from a few rows', () => {
  fc.assert(
    fc.property(library, (given) => {
      const rows = given.map((each, n) => row(n, each))
      const around = rowsAroundIn(rows)
      for (const teaching of rows) expect(around(teaching)).toEqual(rowsAround(rows, teaching))
    }),
  )
})

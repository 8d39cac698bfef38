import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aTeaching, manyTeachings } from '../testing/builders.ts'
import { booksOf, facetsOf, filterTeachings, type TeachingFilter } from './teaching-facets.ts'

const open: TeachingFilter = { book: null, speaker: null, year: null }
const rows = [
  aTeaching({ speaker: 'Jane Doe', year: 2026, scriptureReference: 'Romans 8:28-39' }),
  aTeaching({ speaker: 'Jane Doe', year: 2025, scriptureReference: 'Genesis 1:1; Rom 5' }),
  aTeaching({ speaker: 'John Smith', year: 2026, scriptureReference: 'Psalm 23' }),
  aTeaching({ speaker: 'John Smith', year: 2026, scriptureReference: null }),
  aTeaching({ speaker: 'John Smith', year: 2024, scriptureReference: 'a talk on rest' }),
]

test.each<[string | null, string[]]>([
  [null, []],
  ['', []],
  ['a talk on rest', []],
  ['Rom 8', ['Romans']],
  ['Psalm 23', ['Psalms']],
  ['Romans 8; Genesis 1:1; Romans 9', ['Genesis', 'Romans']],
])('%j touches %j', (reference, books) => expect(booksOf(reference)).toEqual(books))

describe('facets', () => {
  test('sorts books, speakers and years', () => {
    expect(facetsOf(rows, open)).toEqual({
      books: [
        { value: 'Genesis', count: 1, testament: 'Old' },
        { value: 'Psalms', count: 1, testament: 'Old' },
        { value: 'Romans', count: 2, testament: 'New' },
      ],
      speakers: [
        { value: 'John Smith', count: 3 },
        { value: 'Jane Doe', count: 2 },
      ],
      years: [
        { value: 2026, count: 3 },
        { value: 2025, count: 1 },
        { value: 2024, count: 1 },
      ],
    })
  })

  test('each facet ignores its own filter when counting', () => {
    const { books, speakers, years } = facetsOf(rows, { ...open, book: 'Romans', year: 2026 })
    expect(books.map(({ value }) => value)).toEqual(['Psalms', 'Romans'])
    expect(speakers).toEqual([{ value: 'Jane Doe', count: 1 }])
    expect(years.map(({ value }) => value)).toEqual([2026, 2025])
  })

  test('choosing any value gives as many rows as its count', () => {
    const library = manyTeachings(200)
    const one = <Value>(values: Value[]) => fc.constantFrom(null, ...values)
    const filters = fc.record({
      book: one(['Genesis', 'Psalms', 'Romans', 'John']),
      speaker: one([...new Set(library.map(({ speaker }) => speaker))]),
      year: one([...new Set(library.map(({ year }) => year))]),
    })
    fc.assert(
      fc.property(filters, (filter) => {
        const { books, speakers, years } = facetsOf(library, filter)
        for (const { value, count } of books)
          expect(filterTeachings(library, { ...filter, book: value })).toHaveLength(count)
        for (const { value, count } of speakers)
          expect(filterTeachings(library, { ...filter, speaker: value })).toHaveLength(count)
        for (const { value, count } of years)
          expect(filterTeachings(library, { ...filter, year: value })).toHaveLength(count)
      }),
      { numRuns: 50 },
    )
  })
})

test('an empty filter returns the list itself', () => expect(filterTeachings(rows, open)).toBe(rows))

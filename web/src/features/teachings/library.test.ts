import { describe, expect, test } from 'vitest'
import { libraryTitle, openFilters } from './library.ts'

describe('libraryTitle', () => {
  test.each([
    [{}, 12, 'All Teaching'],
    [{ q: '   ' }, 12, 'All Teaching'],
    [{ year: 2026 }, 12, '2026 Teaching'],
    [{ book: 'Romans' }, 12, 'Teaching on Romans'],
    [{ book: 'Romans', speaker: 'Jane Doe', year: 2026 }, 12, '2026 Teaching on Romans by Jane Doe'],
    [{ q: 'grace' }, 3, 'Search Results (3)'],
    [{ q: 'grace', year: 2026, book: 'Romans' }, 0, 'Search Results (0)'],
  ])('the title of %j with %i found is %s', (filters, found, title) => {
    expect(libraryTitle({ ...openFilters, ...filters }, found)).toBe(title)
  })
})

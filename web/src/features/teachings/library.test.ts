import { describe, expect, it } from 'vitest'
import { libraryTitle, openFilters } from './library.ts'
import { shownTitle } from './shown-title.ts'

describe('libraryTitle', () => {
  it.each([
    [{}, 12, 'All Teaching'],
    [{ q: '   ' }, 12, 'All Teaching'],
    [{ year: 2026 }, 12, '2026 Teaching'],
    [{ book: 'Romans' }, 12, 'Teaching on Romans'],
    [{ book: 'Romans', speaker: 'Jane Doe', year: 2026 }, 12, '2026 Teaching on Romans by Jane Doe'],
    [{ q: 'grace' }, 3, 'Search Results (3)'],
    [{ q: 'grace', year: 2026, book: 'Romans' }, 0, 'Search Results (0)'],
  ])('%j, %i found, is %s', (filters, found, title) => {
    expect(libraryTitle({ ...openFilters, ...filters }, found)).toBe(title)
  })
})

describe('shownTitle', () => {
  it.each([
    [{ title: 'Hope_in_Christ', scriptureReference: 'Romans 8:28' }, 'Hope in Christ'],
    [{ title: '', scriptureReference: 'Romans 8:28' }, 'Romans 8:28'],
    [{ title: '_', scriptureReference: null }, 'Untitled'],
  ])('%j shows %s', (teaching, shown) => {
    expect(shownTitle(teaching)).toBe(shown)
  })
})

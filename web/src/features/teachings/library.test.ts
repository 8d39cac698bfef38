import { describe, expect, it } from 'vitest'
import { libraryTitle } from './library.ts'
import { shownTitle } from './shown-title.ts'

describe('libraryTitle', () => {
  it.each([
    [{ query: '', year: null, found: 12 }, 'All Teaching'],
    [{ query: '   ', year: null, found: 12 }, 'All Teaching'],
    [{ query: '', year: 2026, found: 12 }, '2026 Teaching'],
    [{ query: 'grace', year: null, found: 3 }, 'Search Results (3)'],
    [{ query: 'grace', year: 2026, found: 0 }, 'Search Results (0)'],
  ])('%j is %s', (search, title) => {
    expect(libraryTitle(search)).toBe(title)
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

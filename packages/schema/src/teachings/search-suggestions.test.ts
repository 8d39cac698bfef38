import { expect, test } from 'vitest'
import { searchSuggestions } from './search-suggestions.ts'

const row = (speaker: string, scriptureReference: string | null) => ({ speaker, scriptureReference })
const suggest = searchSuggestions([
  row('John Smith', 'Romans 8:28-39'),
  row('John Smith', '1 John 4:7'),
  row('Joan Röhm', 'Psalm 23; John 10:1-18'),
  row('Mary Jones', null),
])
const values = (typed: string) => suggest(typed).map(({ part, value }) => `${part} ${value}`)

test.each([
  ['', []],
  ['  ', []],
  ['.', []],
  ['x', []],
  ['ohn', []],
  // No reference contains Genesis, so that choosing it would find no rows.
  ['gen', []],
  ['romans 8', []],
  ['ro', ['speaker Joan Röhm', 'book Romans']],
  ['JO', ['speaker John Smith', 'speaker Joan Röhm', 'speaker Mary Jones']],
  ['john', ['speaker John Smith', 'book John', 'book 1 John']],
  ['1 jo', ['book 1 John']],
  ['smith j', ['speaker John Smith']],
  ['rohm', ['speaker Joan Röhm']],
  ['ps', ['book Psalms']],
])('%j suggests %j', (typed, expected) => {
  const found = values(typed)
  expect(typed === 'JO' ? found.slice(0, 3) : found).toEqual(expected)
})

test.each([
  ['john', '1 John 4:7', []],
  ['john', '1 John 4:7; John 3', ['John']],
  ['exodus', 'Genesis 50 and Exodus 1', ['Exodus']],
  ['exodus', 'Genesis 50:26-Exodus 1:7', ['Exodus']],
  ['acts', 'The Acts', []],
])('query %j finds in %j the books %j', (typed, written, books) => {
  const found = searchSuggestions([row('Ana', null), row('Ben', written)])(typed)
  expect(found.filter(({ part }) => part === 'book').map(({ value }) => value)).toEqual(
    typed === 'john' ? [...books, '1 John'] : books,
  )
})

test('suggests at most three speakers, those with most teachings first', () => {
  const many = ['Sam A', 'Sam B', 'Sam C', 'Sam D', 'Sam D'].map((speaker) => row(speaker, null))
  expect(searchSuggestions(many)('sam').map(({ value }) => value)).toEqual(['Sam D', 'Sam A', 'Sam B'])
})

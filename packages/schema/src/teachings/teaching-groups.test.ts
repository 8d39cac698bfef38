import { describe, expect, test } from 'vitest'
import { aTeaching } from '../testing/builders.ts'
import { groupAddress, groupPath, groupsOfKind, listedTeachings, teachingGroups } from './teaching-groups.ts'

describe('an address that shows no group', () => {
  test.each([
    '/',
    '/speaker',
    '/speakers/a/b',
    '/speakers/-',
    '/speakers/a/feed.xml',
    '/Speakers',
    '/years/2026',
  ])('%s', (pathname) => expect(groupAddress(pathname)).toBeUndefined())

  test('a name without a letter or digit has none', () => {
    expect(groupPath('speakers', '…')).toBeUndefined()
    const groups = teachingGroups([aTeaching({ speaker: '…', scriptureReference: null })])
    expect([...groups]).toEqual([])
  })
})

test.each([
  ['/speakers', undefined],
  ['/books/', undefined],
  ['/speakers/john-smith', { kind: 'speakers', path: '/speakers/john-smith' }],
  ['/speakers/John Smith/', { kind: 'speakers', path: '/speakers/john-smith' }],
  ['/books/1-john', { kind: 'books', path: '/books/1-john' }],
] as const)('%s shows %j', (pathname, shown) => expect(groupAddress(pathname)).toEqual(shown))

test('groups spellings under the newest one', () => {
  const rows = [
    aTeaching({ id: 3, speaker: 'Māori O’Brien', scriptureReference: 'John 3:16; Romans 8' }),
    aTeaching({ id: 2, speaker: 'MAORI OBRIEN', scriptureReference: null }),
    aTeaching({ id: 1, speaker: 'Jane Doe', scriptureReference: 'Rom 1' }),
  ]
  const shown = [...teachingGroups(rows).values()].map(({ path, name, teachings }) => [
    path,
    name,
    teachings.map(({ id }) => id),
  ])
  expect(shown).toEqual([
    ['/speakers/maori-obrien', 'Māori O’Brien', [3, 2]],
    ['/books/john', 'John', [3]],
    ['/books/romans', 'Romans', [3, 1]],
    ['/speakers/jane-doe', 'Jane Doe', [1]],
  ])
  const listed = (kind: 'speakers' | 'books') =>
    groupsOfKind(kind, rows).map(({ name, count }) => `${name} ${count}`)
  expect(listed('speakers')).toEqual(['Jane Doe 1', 'Māori O’Brien 2'])
  expect(listed('books')).toEqual(['John 1', 'Romans 2'])
  expect(groupsOfKind('books', rows)).toBe(groupsOfKind('books', rows))
})

test('lists the teachings of a book by verse', () => {
  const references = [
    'Romans 8:28',
    'John 1; Romans 8:1-11',
    'Acts 28 - Romans 1',
    'Rom 12',
    'Romans 8:28',
    null,
  ]
  const rows = references.map((scriptureReference, id) =>
    aTeaching({ id, speaker: 'Jane', scriptureReference }),
  )
  const idsOf = (path: string) => listedTeachings(teachingGroups(rows).get(path)!).map(({ id }) => id)
  expect(idsOf('/books/romans')).toEqual([2, 1, 0, 4, 3])
  expect(idsOf('/speakers/jane')).toEqual([0, 1, 2, 3, 4, 5])
})

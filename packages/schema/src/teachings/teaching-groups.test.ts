import { describe, expect, test } from 'vitest'
import { aTeaching } from '../testing/builders.ts'
import { groupAddress, groupPath, groupsOfKind, teachingGroups } from './teaching-groups.ts'

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
  ['/speakers', { kind: 'speakers', path: '/speakers', isList: true }],
  ['/books/', { kind: 'books', path: '/books', isList: true }],
  ['/speakers/john-smith', { kind: 'speakers', path: '/speakers/john-smith', isList: false }],
  ['/speakers/John Smith/', { kind: 'speakers', path: '/speakers/john-smith', isList: false }],
  ['/books/1-john', { kind: 'books', path: '/books/1-john', isList: false }],
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

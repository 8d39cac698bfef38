import { describe, expect, test } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { incomingOf, type RawTeaching } from './incoming.ts'
import { compareItems, factsOf, type KnownLibrary } from './judge.ts'

const uid = '01900000-0000-7000-8000-000000000001'
const empty: KnownLibrary = { teachings: [], guids: new Map(), earlier: new Map() }
const raw = (more: RawTeaching = {}) =>
  incomingOf({
    guid: 'g-1',
    title: 'Grace',
    speaker: 'Sam Desk',
    date: '2020-11-22',
    audio: 'https://a.example/1.mp3',
    ...more,
  })
const judge = (library: KnownLibrary, ...items: RawTeaching[]) =>
  compareItems(
    items.map((item) => raw(item)),
    library,
    {},
  ).map(({ verdict, reason }) => [verdict, reason])

describe('verdicts', () => {
  const teaching = aTeaching({ uid, title: 'Grace', speaker: 'Sam Desk', date: '2020-11-22' })
  const library = { ...empty, teachings: [teaching] }

  test('a file that the folder lacks is unreadable', () => {
    expect(judge(empty, { audio: 'gone.mp3' })).toEqual([['unreadable', 'There is no file gone.mp3.']])
  })

  test('another source of the same teaching is recognised', () => {
    const [[verdict, reason] = []] = judge(library, { guid: 'https://b.example/?p=3', title: 'GRACE' })
    expect(verdict).toBe('same')
    expect(reason).toContain('It is in the library: ')
  })

  test('the second of two equal guids is skipped', () => {
    expect(judge(empty, {}, { title: 'Other' })).toEqual([
      ['new', ''],
      ['same', 'It is in the source twice.'],
    ])
  })

  test('a changed item names its fields', () => {
    const earlier = new Map([['g-1', { incoming: raw({ title: 'Gras' }), teaching: uid }]])
    expect(judge({ ...library, earlier }, {})[0]).toEqual([
      'changed',
      'Changed at the source: title. The teaching here stays as it is.',
    ])
  })

  test('a deleted teaching stays deleted', () => {
    const earlier = new Map([['g-1', { incoming: raw(), teaching: uid }]])
    expect(judge({ ...empty, earlier }, {})).toEqual([['same', 'It was moved in before, and deleted here.']])
  })
})

test.each([
  ['Saturdays', '2020-11-21', 1],
  ['Mondays', '2020-11-23', -1],
  ['Sundays', '2020-11-22', 0],
  ['Wednesdays', '2020-11-25', 0],
] as const)('suggests the shift of %s', (_, first, shift) => {
  const dates = [0, 7, 14, 21, 28].map((days) =>
    new Date(Date.parse(first) + days * 86_400_000).toISOString().slice(0, 10),
  )
  const items = compareItems(
    dates.map((date, at) => raw({ guid: `g-${at}`, title: `T ${at}`, date })),
    empty,
    {},
  )
  expect(factsOf(items, { title: '', podcastGuid: null }, []).shiftOffered).toBe(shift)
})

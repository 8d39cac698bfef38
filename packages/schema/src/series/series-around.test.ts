import { expect, test } from 'vitest'
import { seriesAround } from './series-address.ts'
import type { Series } from './series.schema.ts'

const aSeries = (own: Partial<Series>): Series => ({
  uid: 'f3b0c1de-0000-4000-8000-000000000001',
  rev: 1,
  slug: 'hope',
  title: 'Hope',
  description: '',
  teachings: [],
  imageUrl: null,
  ...own,
})

const library = new Map(['a', 'b', 'c'].map((uid) => [uid, { uid }]))

test('finds no series for an unlisted or deleted teaching', () => {
  const all = [aSeries({ teachings: ['a', 'b', 'gone'] }), aSeries({ teachings: [] })]
  expect(seriesAround(all, { uid: 'c' }, library)).toEqual([])
  expect(seriesAround(all, { uid: 'gone' }, library)).toEqual([])
})

test('finds each series with the neighbours of the teaching', () => {
  const all = [
    aSeries({ slug: 'one', title: 'One', teachings: ['c', 'b', 'a'] }),
    aSeries({ slug: 'two', title: 'Two', teachings: ['a', 'c'] }),
    aSeries({ slug: 'three', title: 'Three', teachings: ['b'] }),
  ]
  expect(seriesAround(all, { uid: 'b' }, library)).toEqual([
    {
      slug: 'one',
      title: 'One',
      imageUrl: null,
      place: 2,
      count: 3,
      before: { uid: 'c' },
      after: { uid: 'a' },
    },
    {
      slug: 'three',
      title: 'Three',
      imageUrl: null,
      place: 1,
      count: 1,
      before: undefined,
      after: undefined,
    },
  ])
})

test('what is in the bin is passed over', () => {
  const all = [aSeries({ slug: 'one', title: 'One', teachings: ['gone', 'a', 'gone too', 'b'] })]
  expect(seriesAround(all, { uid: 'b' }, library)).toEqual([
    { slug: 'one', title: 'One', imageUrl: null, place: 2, count: 2, before: { uid: 'a' }, after: undefined },
  ])
})

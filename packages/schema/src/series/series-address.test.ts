import { expect, test } from 'vitest'
import { seriesAt, seriesPath, slugAt } from './series-address.ts'

test.each([
  '/series',
  '/series/',
  '/series/a/b',
  '/series/../admin',
  '/series/%2e%2e',
  '/series/%',
  '/series/-a',
  '/series/a b',
  '/serie/a',
  '/series/hope.xml',
])('%s is the path of no series', (pathname) => {
  expect(slugAt(pathname)).toBeUndefined()
})

test.each(['hope', 'hope-2', '信仰', 'te-whakapono'])('the path of %s leads to it', (slug) => {
  expect(slugAt(seriesPath({ slug }))).toBe(slug)
})

test('a slug counts before a uid', () => {
  const row = (uid: string, slug: string) => ({
    uid,
    slug,
    rev: 1,
    title: '',
    description: '',
    teachings: [],
    imageUrl: null,
  })
  const all = [row('b', 'a'), row('c', 'b')]
  expect(seriesAt(all, 'b')?.uid).toBe('c')
  expect(seriesAt(all, 'c')?.slug).toBe('b')
  expect(seriesAt(all, 'd')).toBeUndefined()
})

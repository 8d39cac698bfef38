import { describe, expect, test } from 'vitest'
import { isPage, pageLabel } from '../routes.ts'
import { aTeaching } from '../testing/builders.ts'
import { teachingAt, teachingKey, teachingPath } from './teaching-address.ts'

describe('an address that names no teaching', () => {
  test.each([
    '/teaching',
    '/teaching/',
    '/teaching/hope-in-christ',
    '/teaching/2026-11-22-hope-2f5f0c9b7e0',
    '/teaching/2026-11-22-hope2f5f0c9b7e01',
    '/teaching/2026-11-22-hope-2f5f0c9b7e01/more',
    '/teaching/2026-11-22-hope-2f5f0c9b7e0g',
    '/teachings/2026-11-22-hope-2f5f0c9b7e01',
    '/x/teaching/2f5f0c9b7e01',
  ])('%s', (pathname) => {
    expect(teachingKey(pathname)).toBeUndefined()
    expect(teachingAt([aTeaching()], pathname)).toBeUndefined()
    expect([pathname, isPage(pathname)]).toEqual([pathname, /^\/teaching\/?$/.test(pathname)])
  })

  test('one whose digits no teaching has', () => {
    expect(teachingAt([aTeaching()], '/teaching/2026-11-22-hope-in-christ-000000000000')).toBeUndefined()
  })
})

test.each([
  [{}, '/teaching/2026-11-22-hope-in-christ-2f5f0c9b7e01'],
  [{ title: 'Whānau_of God’s <love>' }, '/teaching/2026-11-22-whanau-of-gods-love-2f5f0c9b7e01'],
  [{ title: '' }, '/teaching/2026-11-22-romans-8-28-39-2f5f0c9b7e01'],
  [{ title: '希望' }, '/teaching/2026-11-22-2f5f0c9b7e01'],
  [{ title: '..' }, '/teaching/2026-11-22-2f5f0c9b7e01'],
  [{ uid: '6F1C1F0E-2B7A-4C58-A1DE-2F5F0C9B7E01' }, '/teaching/2026-11-22-hope-in-christ-2f5f0c9b7e01'],
])('the page of %j is %s', (given, path) => expect(teachingPath(aTeaching(given))).toBe(path))

test('a long title is cut between words', () => {
  const words = teachingPath(aTeaching({ title: 'grace upon grace '.repeat(15) }))
    .replace('/teaching/2026-11-22-', '')
    .split('-')
  expect(words.at(-1)).toBe('2f5f0c9b7e01')
  expect(new Set(words.slice(0, -1))).toEqual(new Set(['grace', 'upon']))
  expect(words.slice(0, -1).join('-').length).toBeLessThanOrEqual(60)
  expect(teachingPath(aTeaching({ title: 'x'.repeat(255) }))).toBe('/teaching/2026-11-22-2f5f0c9b7e01')
})

test('an outdated address still finds the teaching', () => {
  const teaching = aTeaching()
  for (const pathname of [
    teachingPath(teaching),
    '/teaching/2020-01-01-an-earlier-title-2f5f0c9b7e01',
    '/teaching/2F5F0C9B7E01',
    '/teaching/2f5f0c9b7e01/',
  ])
    expect(teachingAt([aTeaching({ uid: teaching.uid.replace('01', '02') }), teaching], pathname)).toBe(
      teaching,
    )
})

test('equal digits are resolved by the full address', () => {
  const newer = aTeaching({ uid: '00000000-0000-8000-8000-2f5f0c9b7e01', title: 'Newer' })
  const older = aTeaching({ title: 'Older' })
  for (const each of [newer, older]) expect(teachingAt([newer, older], teachingPath(each))).toBe(each)
  expect(teachingAt([newer, older], '/teaching/earlier-2f5f0c9b7e01')).toBe(newer)
})

test('the pages of teachings have one label', () => {
  const labels = [teachingPath(aTeaching()), '/teaching/2F5F0C9B7E01', '/teaching', '/nowhere'].map(pageLabel)
  expect(labels).toEqual(['/teaching/:address', '/teaching/:address', '/teaching', undefined])
})

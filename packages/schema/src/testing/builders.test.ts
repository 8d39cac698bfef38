import { describe, expect, test } from 'vitest'
import { currentUser } from '../auth/auth.schema.ts'
import { elder } from '../elders/elders.schema.ts'
import { parseScripture } from '../scripture.ts'
import { isSameTeaching } from '../teachings/duplicate.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { aTeaching, aUser, anElder, manyTeachings } from './builders.ts'

describe('one of each', () => {
  test('has a valid shape with the given fields', () => {
    expect(teaching.parse(aTeaching())).toEqual(aTeaching())
    expect(currentUser.parse(aUser())).toEqual(aUser())
    expect(elder.parse(anElder())).toEqual(anElder())
    expect(aTeaching({ date: '2024-02-29', title: 'Grace' })).toMatchObject({ year: 2024, title: 'Grace' })
    expect(aUser({ role: 'admin' }).role).toBe('admin')
    expect(anElder({ name: 'Mary' }).name).toBe('Mary')
  })
})

describe('a whole library', () => {
  const library = manyTeachings(2_000)

  test('depends on the seed', () => {
    expect(manyTeachings(2_000)).toEqual(library)
    expect(manyTeachings(50, 2)).not.toEqual(manyTeachings(50, 1))
  })

  test('is newest first, with valid shapes and passages', () => {
    const parsed = library.map((row) => teaching.parse(row))
    expect(parsed.map((row) => row.date)).toEqual(
      parsed
        .map((row) => row.date)
        .sort()
        .reverse(),
    )
    expect(new Set(parsed.map((row) => row.uid)).size).toBe(2_000)
    for (const { scriptureReference } of parsed) {
      if (scriptureReference !== null)
        expect(parseScripture(scriptureReference)?.display).toBe(scriptureReference)
    }
  })

  test('holds no teaching twice', () => {
    for (const date of new Set(library.map((row) => row.date))) {
      const sameDay = library.filter((row) => row.date === date)
      const twice = sameDay.some((a, i) => sameDay.slice(i + 1).some((b) => isSameTeaching(a, b)))
      expect(twice).toBe(false)
    }
  })
})

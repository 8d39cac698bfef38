import { describe, expect, test } from 'vitest'
import { isRepeated, refusalFor } from './mutation.ts'

const current = { uid: 'a', rev: 7 }

describe('a change', () => {
  test.each([
    ['of a teaching that is gone', undefined, { uid: 'a', baseRev: 7 }, 'not_found'],
    ['whose number belongs to another teaching now', current, { uid: 'b', baseRev: 7 }, 'not_found'],
    ['whose number belongs to another one, of any revision', current, { uid: 'b' }, 'not_found'],
    ['made for an older revision', current, { uid: 'a', baseRev: 6 }, 'revision_conflict'],
    ['made for a later revision, before a restore', current, { uid: 'a', baseRev: 8 }, 'revision_conflict'],
  ])('%s is refused', (_, row, target, code) => {
    expect(refusalFor(row, target)).toBe(code)
  })

  test.each([
    ['made for this revision', { uid: 'a', baseRev: 7 }],
    ['for any revision', { uid: 'a' }],
    ['that names a number alone', { baseRev: 7 }],
  ])('%s may be applied', (_, target) => {
    expect(refusalFor(current, target)).toBeUndefined()
  })
})

describe('a request under a known key', () => {
  const done = { requestHash: 'x', userId: 1 }

  test('of another person, or with other words, is not the same again', () => {
    expect(isRepeated(done, { requestHash: 'x', userId: 2 })).toBe(false)
    expect(isRepeated(done, { requestHash: 'y', userId: 1 })).toBe(false)
  })

  test('of the same person with the same words is', () => {
    expect(isRepeated(done, { ...done })).toBe(true)
  })
})

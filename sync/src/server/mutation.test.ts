import { describe, expect, test } from 'vitest'
import { isRepeated, refusalFor } from './mutation.ts'

const current = { uid: 'a', rev: 7 }
/** Its words are those of revision 5; the server added something at 7. */
const added = { ...current, sameSince: 5 }

describe('a change', () => {
  test.each([
    ['of a teaching that is gone', undefined, { uid: 'a', baseRev: 7 }, 'not_found'],
    ['whose number belongs to another teaching now', current, { uid: 'b', baseRev: 7 }, 'not_found'],
    ['whose number belongs to another one, of any revision', current, { uid: 'b' }, 'not_found'],
    ['made for an older revision', current, { uid: 'a', baseRev: 6 }, 'revision_conflict'],
    ['made for a later revision, before a restore', current, { uid: 'a', baseRev: 8 }, 'revision_conflict'],
    ['made for words before the present ones', added, { uid: 'a', baseRev: 4 }, 'revision_conflict'],
    ['made for a later revision, though unchanged', added, { uid: 'a', baseRev: 8 }, 'revision_conflict'],
    ['of another one that was added to', added, { uid: 'b', baseRev: 5 }, 'not_found'],
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

  test.each([5, 6, 7])('a change of revision %d passes additions of the server', (baseRev) => {
    expect(refusalFor(added, { uid: 'a', baseRev })).toBeUndefined()
  })
})

describe('a request under a known key', () => {
  const done = { requestHash: 'x', userId: 1 }

  test('another author or words is no repetition', () => {
    expect(isRepeated(done, { requestHash: 'x', userId: 2 })).toBe(false)
    expect(isRepeated(done, { requestHash: 'y', userId: 1 })).toBe(false)
  })

  test('the same author and words are a repetition', () => {
    expect(isRepeated(done, { ...done })).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachWord, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { merge, patchBetween } from './merge.ts'

const base: TeachingText = { title: 'a', speaker: 'b', date: '2026-01-01', scriptureReference: '' }

describe('the merge reports a conflict', () => {
  test('reports a conflict for different values of a field', () => {
    expect(merge(base, { title: 'ours' }, { ...base, title: 'theirs' })).toEqual({
      outcome: 'conflict',
      fields: ['title'],
    })
  })
  test('naming only that field, when other fields would merge', () => {
    const theirs = { ...base, title: 'theirs', speaker: 'new' }
    expect(merge(base, { title: 'ours', date: '2026-01-02' }, theirs)).toEqual({
      outcome: 'conflict',
      fields: ['title'],
    })
  })
})

test('changes to different fields merge', () => {
  expect(merge(base, { title: 'ours' }, { ...base, speaker: 'theirs' })).toEqual({
    outcome: 'merged',
    patch: { title: 'ours' },
  })
})

test('the same change on both sides leaves nothing to send', () => {
  expect(merge(base, { title: 'same' }, { ...base, title: 'same' })).toEqual({ outcome: 'nothing left' })
})

test('2,000 random merges lose no change silently', () => {
  const value = fc.constantFrom('x', 'y', 'z')
  const text = fc.record(eachWord(() => value))
  fc.assert(
    fc.property(text, text, text, (start, ours, theirs) => {
      const result = merge(start, patchBetween(start, ours), theirs)
      if (result.outcome === 'conflict') {
        for (const field of result.fields) expect([start[field], theirs[field]]).not.toContain(ours[field])
        return
      }
      const merged = { ...theirs, ...(result.outcome === 'merged' ? result.patch : {}) }
      for (const field of wordNames) {
        if (ours[field] !== start[field]) expect(merged[field]).toBe(ours[field])
        else expect(merged[field]).toBe(theirs[field])
      }
    }),
    { numRuns: 2000, seed: 3 },
  )
})

test('an ordered list counts as one field', () => {
  expect(patchBetween({ teachings: ['a', 'b'] }, { teachings: ['a', 'b'] })).toEqual({})
  expect(patchBetween({ teachings: ['a', 'b'] }, { teachings: ['b', 'a'] })).toEqual({
    teachings: ['b', 'a'],
  })
  expect(patchBetween({}, { teachings: [] })).toEqual({})
  expect(merge({ teachings: ['a'] }, { teachings: ['a', 'b'] }, { teachings: ['a', 'c'] })).toEqual({
    outcome: 'conflict',
    fields: ['teachings'],
  })
})

test('2,000 random merges of series lose no change', () => {
  const teachings = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
  const text = fc.record({
    title: fc.constantFrom('x', 'y'),
    description: fc.constantFrom('', 'z'),
    teachings,
  })
  fc.assert(
    fc.property(text, text, text, (start, ours, theirs) => {
      const result = merge(start, patchBetween(start, ours), theirs)
      if (result.outcome === 'conflict') {
        for (const field of result.fields)
          expect([start[field], theirs[field]].map(String)).not.toContain(String(ours[field]))
        return
      }
      const merged = { ...theirs, ...(result.outcome === 'merged' ? result.patch : {}) }
      for (const field of ['title', 'description', 'teachings'] as const) {
        const isOurs = String(ours[field]) !== String(start[field])
        expect(merged[field]).toEqual(isOurs ? ours[field] : theirs[field])
      }
    }),
    { numRuns: 2000, seed: 3 },
  )
})

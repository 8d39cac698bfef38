import type { ListeningMarks } from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeMarks, mergeNotes, mergePositions, mergeUpNext, placesToOffer } from './listening-merge.ts'
import type { UpNextEntry } from './up-next.ts'

/** Few values, so that equal ones meet. */
const moment = fc.nat(6)
const place = fc.record({ seconds: fc.constantFrom(0, 20, 900, 2000), listenedAt: moment })
const newest = (a: { listenedAt: number; seconds: number }, b: { listenedAt: number; seconds: number }) =>
  b.listenedAt - a.listenedAt || b.seconds - a.seconds

const position: Arbitrary<ListeningPosition> = fc
  .record({
    places: fc.uniqueArray(place, {
      minLength: 1,
      maxLength: 6,
      comparator: (a, b) => newest(a, b) === 0,
    }),
    duration: fc.constantFrom(2400, 2401),
  })
  .map(({ places, duration }) => {
    const [now, ...earlier] = places.toSorted(newest)
    return { ...now!, duration, earlier }
  })
const choice = fc.option(fc.record({ on: fc.boolean(), at: moment }), { nil: undefined })
const marks: Arbitrary<ListeningMarks> = fc
  .record({ favourite: choice, heard: choice })
  .map(({ favourite, heard }) => ({ ...(favourite && { favourite }), ...(heard && { heard }) }))
const note: Arbitrary<ListeningNote> = fc.record({
  id: fc.constant('n'),
  uid: fc.constant('t'),
  seconds: fc.nat(2),
  text: fc.constantFrom('', 'one', 'two'),
  createdAt: fc.constant(0),
  changedAt: moment,
  removed: fc.boolean(),
})
const entry: Arbitrary<UpNextEntry> = fc.record({
  uid: fc.constant('t'),
  order: fc.constantFrom('Zz', 'a0', 'a1'),
  removed: fc.boolean(),
  changedAt: moment,
})

function laws<Value>(value: Arbitrary<Value>, merge: (a: Value, b: Value) => Value) {
  test('merges in either order', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a))
      }),
    )
  })
  test('merges in any grouping', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      }),
    )
  })
  test('merging a row again changes nothing', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(merge(a, a)).toEqual(a)
        expect(merge(merge(a, b), b)).toEqual(merge(a, b))
      }),
    )
  })
}

describe('positions', () => {
  laws(position, mergePositions)

  test('positions never move back to an earlier listening', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        const { listenedAt } = mergePositions(a, b)
        expect(listenedAt).toBe(Math.max(a.listenedAt, b.listenedAt))
      }),
    )
  })

  test('offers both places more than five minutes apart', () => {
    const at = (seconds: number, listenedAt: number) => ({ seconds, duration: 2400, listenedAt, earlier: [] })
    expect(placesToOffer(at(900, 1), at(600, 2))).toEqual([600])
    expect(placesToOffer(at(901, 1), at(600, 2))).toEqual([600, 901])
    expect(placesToOffer(at(600, 2), at(901, 1))).toEqual([600, 901])
    expect(placesToOffer(at(600, 2), at(600, 2))).toEqual([600])
  })
})

describe('marks', () => laws(marks, mergeMarks))

describe('notes', () => {
  laws(note, mergeNotes)

  test('a removal wins over words of the same moment', () => {
    const written = { id: 'n', uid: 't', seconds: 1, text: 'one', createdAt: 0, changedAt: 1, removed: false }
    const removed = { ...written, text: '', removed: true }
    expect(mergeNotes(removed, { ...written, changedAt: 2 }).removed).toBe(false)
    expect(mergeNotes(written, removed).removed).toBe(true)
  })
})

describe('Up next', () => laws(entry, mergeUpNext))

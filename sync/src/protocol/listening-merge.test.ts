import type { ListeningMarks } from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  byServerClock,
  mergeMarks,
  mergeNotes,
  mergePositions,
  mergeUpNext,
  placesToOffer,
} from './listening-merge.ts'
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
  test('gives the same whichever comes first', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a))
      }),
    )
  })
  test('gives the same however it is grouped', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      }),
    )
  })
  test('changes nothing when it is met again', () => {
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

  test('never move back to an earlier listening', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        const { listenedAt } = mergePositions(a, b)
        expect(listenedAt).toBe(Math.max(a.listenedAt, b.listenedAt))
      }),
    )
  })

  test('of devices whose clocks are wrong keep the order in which they were heard', () => {
    const hour = 3_600_000
    const skew = fc.integer({ min: -50 * hour, max: 50 * hour })
    fc.assert(
      fc.property(fc.nat(hour), fc.integer({ min: 1, max: hour }), skew, skew, (first, gap, one, other) => {
        const server = 1_800_000_000_000
        const [heardFirst, heardThen] = [server - 2 * hour + first, server - 2 * hour + first + gap]
        const told = (at: number, wrong: number) =>
          byServerClock(at + wrong, { device: server + wrong, server })
        const a = { seconds: 2000, duration: 2400, listenedAt: told(heardFirst, one), earlier: [] }
        const b = { seconds: 300, duration: 2400, listenedAt: told(heardThen, other), earlier: [] }
        expect(mergePositions(a, b).seconds).toBe(300)
      }),
    )
  })

  test('of a clock that was set back since are not later than now', () => {
    expect(byServerClock(5_000, { device: 1_000, server: 2_000 })).toBe(2_000)
  })

  test('more than five minutes apart are both offered, the newer one first', () => {
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

  test('a later writing wins over a removal, and a removal over a writing of the same moment', () => {
    const written = { id: 'n', uid: 't', seconds: 1, text: 'one', createdAt: 0, changedAt: 1, removed: false }
    const removed = { ...written, text: '', removed: true }
    expect(mergeNotes(removed, { ...written, changedAt: 2 }).removed).toBe(false)
    expect(mergeNotes(written, removed).removed).toBe(true)
  })
})

describe('Up next', () => laws(entry, mergeUpNext))

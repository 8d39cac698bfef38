import type { ListeningChange, ListeningEvent } from '@fellowship/schema/listening/listening.schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { continuesFrom, isSameRow, mapStamps, mergeChanges, stampEvent } from './listening-changes.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const place = (listenedAt: number, after?: number): ListeningChange => ({
  kind: 'position',
  ...(after !== undefined && { after }),
  row: { uid, seconds: 900, duration: 2_400, listenedAt, earlier: [{ seconds: 100, listenedAt: 3 }] },
})
const marks = (row: object): ListeningChange => ({ kind: 'marks', row: { uid, ...row } })
const note: ListeningChange = {
  kind: 'note',
  row: { id: uid, uid, seconds: 5, text: 'The vine', createdAt: 4, changedAt: 5, removed: false },
}
const upNext: ListeningChange = { kind: 'upNext', row: { uid, order: 'a0', removed: false, changedAt: 6 } }
const on = { on: true, at: 7 }
const off = { on: false, at: 8 }

test('rejects rows of two kinds', () => {
  for (const [a, b] of [
    [place(5), note],
    [marks({}), upNext],
    [note, marks({})],
    [upNext, place(5)],
  ] as const)
    expect(() => mergeChanges(a, b)).toThrow(`A ${a.kind} is not merged with a ${b.kind}`)
})

test('merges rows by the rule of their kind', () => {
  const merged = [
    mergeChanges(place(5), place(9)),
    mergeChanges(marks({ favourite: on }), marks({ heard: off })),
    mergeChanges(note, {
      ...note,
      row: { ...note.row, text: 'The branches', changedAt: 6 },
    } as ListeningChange),
    mergeChanges(upNext, { ...upNext, row: { ...upNext.row, order: 'a1', changedAt: 7 } } as ListeningChange),
  ]
  expect(merged).toMatchObject([
    { kind: 'position', row: { uid, listenedAt: 9, earlier: [{ listenedAt: 5 }, { listenedAt: 3 }] } },
    { kind: 'marks', row: { uid, favourite: on, heard: off } },
    { kind: 'note', row: { text: 'The branches' } },
    { kind: 'upNext', row: { order: 'a1' } },
  ])
})

describe('continuing from a place', () => {
  test.each<[string, ListeningChange, ListeningChange]>([
    ['of another moment', place(5), place(9, 6)],
    ['that the device does not name', place(5), place(9)],
    ['that is newer', place(5), place(4, 5)],
    ['requires a place: not a note', note, place(9, 5)],
    ['requires a place: a note does not continue', place(5), note],
  ])('is refused for one %s', (_, known, change) => {
    expect(continuesFrom(known, change)).toBe(false)
  })

  test('replaces the known place of that moment', () => {
    expect([continuesFrom(place(5), place(9, 5)), continuesFrom(place(5), place(5, 5))]).toEqual([true, true])
  })
})

test('mapStamps replaces every moment of a row and nothing else', () => {
  const later = (change: ListeningChange) => mapStamps(change, (at) => (at as number) + 10)
  expect(later(place(5, 4))).toEqual({
    kind: 'position',
    after: 4,
    row: { uid, seconds: 900, duration: 2_400, listenedAt: 15, earlier: [{ seconds: 100, listenedAt: 13 }] },
  })
  expect(later(marks({ favourite: on, heard: off }))).toEqual(
    marks({ favourite: { on: true, at: 17 }, heard: { on: false, at: 18 } }),
  )
  expect(later(marks({ favourite: on }))).toEqual(marks({ favourite: { on: true, at: 17 } }))
  expect(Object.keys(later(marks({ heard: off })).row)).toEqual(['uid', 'heard'])
  expect(later(note)).toEqual({ kind: 'note', row: { ...note.row, createdAt: 14, changedAt: 15 } })
  expect(later(upNext)).toEqual({ kind: 'upNext', row: { ...upNext.row, changedAt: 16 } })
})

describe('stampEvent', () => {
  const server = 1_800_000_000_000
  const heard = (seconds: number, age: number): ListeningEvent => ({
    kind: 'position',
    row: { uid, seconds, duration: 2_400, listenedAt: { age }, earlier: [] },
  })
  const chosen = (age: number): ListeningEvent => ({
    kind: 'marks',
    row: { uid, heard: { on: true, at: { age } } },
  })

  test('counts an age back from now', () => {
    expect(stampEvent(chosen(300), undefined, server)).toEqual(
      marks({ heard: { on: true, at: server - 300 } }),
    )
  })

  test('stamps nothing before the epoch or later than now', () => {
    expect(stampEvent(chosen(server + 1), undefined, server)).toEqual(marks({ heard: { on: true, at: 0 } }))
    expect(stampEvent(marks({ heard: { on: true, at: server + 1 } }), undefined, server)).toEqual(
      marks({ heard: { on: true, at: server } }),
    )
  })

  test('orders places by age although both device clocks are wrong', () => {
    const hour = 3_600_000
    const skew = fc.integer({ min: -50 * hour, max: 50 * hour })
    fc.assert(
      fc.property(fc.nat(hour), fc.integer({ min: 1, max: hour }), skew, skew, (first, gap, one, other) => {
        const [heardFirst, heardThen] = [server - 2 * hour + first, server - 2 * hour + first + gap]
        const sent = (seconds: number, at: number, wrong: number) =>
          stampEvent(heard(seconds, server + wrong - (at + wrong)), undefined, server)
        const merged = mergeChanges(sent(2_000, heardFirst, one), sent(300, heardThen, other))
        expect(merged.row).toMatchObject({ seconds: 300 })
      }),
    )
  })

  test('a repeated place keeps its first stamp', () => {
    const known = mergeChanges(place(server - 1_400), place(server - 90_000))
    expect(mergeChanges(known, stampEvent(heard(900, 1_000), known, server))).toEqual(known)
  })

  test.each([
    ['a minute later', heard(900, 0), server - 60_001],
    ['elsewhere', heard(901, 0), server - 1],
  ])('a place %s is a new one', (_, event, before) => {
    expect(stampEvent(event, place(before), server).row).toMatchObject({ listenedAt: server })
  })

  test('sorts places that the device could not order', () => {
    const event = heard(900, 5_000) as Extract<ListeningEvent, { kind: 'position' }>
    event.row.earlier = [{ seconds: 300, listenedAt: server - 1_000 }]
    expect(stampEvent(event, undefined, server).row).toMatchObject({
      seconds: 300,
      listenedAt: server - 1_000,
      earlier: [{ seconds: 900, listenedAt: server - 5_000 }],
    })
  })
})

test('isSameRow ignores the order of members', () => {
  expect(isSameRow(marks({ favourite: on, heard: off }), marks({ heard: off, favourite: on }))).toBe(true)
  expect(isSameRow(marks({ favourite: on }), marks({ favourite: { at: 7, on: true } }))).toBe(true)
  expect(isSameRow(marks({ favourite: on }), marks({ favourite: off }))).toBe(false)
  expect(isSameRow(marks({ favourite: on }), marks({ heard: on }))).toBe(false)
  expect(isSameRow(place(5), place(6))).toBe(false)
})

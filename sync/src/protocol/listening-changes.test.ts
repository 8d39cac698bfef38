import type { ListeningChange } from '@fellowship/schema/listening/listening.schema'
import { describe, expect, test } from 'vitest'
import { goesOn, isSameRow, mergeChanges, withMoments } from './listening-changes.ts'

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

test('rows of two kinds are not merged', () => {
  for (const [a, b] of [
    [place(5), note],
    [marks({}), upNext],
    [note, marks({})],
    [upNext, place(5)],
  ] as const)
    expect(() => mergeChanges(a, b)).toThrow(`A ${a.kind} is not merged with a ${b.kind}`)
})

test('rows of one kind are merged by the rule of that kind', () => {
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

describe('a listening goes on', () => {
  test.each<[string, ListeningChange, ListeningChange]>([
    ['from another place', place(5), place(9, 6)],
    ['from a place that nobody named', place(5), place(9)],
    ['before it', place(5), place(4, 5)],
    ['from what is no place', note, place(9, 5)],
    ['and is no place itself', place(5), note],
  ])('not %s', (_, known, change) => {
    expect(goesOn(known, change)).toBe(false)
  })

  test('from the place that is known, at that moment or later', () => {
    expect([goesOn(place(5), place(9, 5)), goesOn(place(5), place(5, 5))]).toEqual([true, true])
  })
})

test('every moment of a row is replaced, and nothing else', () => {
  const later = (change: ListeningChange) => withMoments(change, (at) => at + 10)
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

test('rows say the same in any order of their members, and not where one differs', () => {
  expect(isSameRow(marks({ favourite: on, heard: off }), marks({ heard: off, favourite: on }))).toBe(true)
  expect(isSameRow(marks({ favourite: on }), marks({ favourite: { at: 7, on: true } }))).toBe(true)
  expect(isSameRow(marks({ favourite: on }), marks({ favourite: off }))).toBe(false)
  expect(isSameRow(marks({ favourite: on }), marks({ heard: on }))).toBe(false)
  expect(isSameRow(place(5), place(6))).toBe(false)
})

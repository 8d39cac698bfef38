import { describe, expect, test } from 'vitest'
import {
  addNewTeachings,
  afterPageView,
  maxNewTeachings,
  newUids,
  sessionGapMs,
  unseenUids,
  type Sessions,
} from './whats-new.ts'

const added = (...came: string[]) => addNewTeachings(undefined, { came, left: [] })

describe('new teachings', () => {
  test('a teaching that comes back is not new', () => {
    const left = addNewTeachings(added('a'), { came: [], left: ['b', 'a'] })
    expect(addNewTeachings(left, { came: ['a', 'b'], left: [] }).newest).toBe(1)
    expect(addNewTeachings(left, { came: ['a', 'c'], left: [] }).came.map(({ uid }) => uid)).toEqual([
      'a',
      'c',
    ])
  })

  test('stores the last thousand and continues their numbers', () => {
    const uids = Array.from({ length: maxNewTeachings + 2 }, (_, at) => `t${at}`)
    const { newest, came } = addNewTeachings(added(...uids), { came: ['last'], left: [] })
    expect([newest, came.length, came[0]?.uid]).toEqual([maxNewTeachings + 3, maxNewTeachings, 't3'])
  })
})

describe('sessions', () => {
  const first = afterPageView(undefined, 4, 1_000)

  test('the first session marks no teaching', () => {
    expect(newUids(added('a', 'b', 'c', 'd', 'e'), first)).toEqual([])
    expect(newUids(added('a', 'b', 'c', 'd', 'e'), afterPageView(first, 5, 61_000))).toEqual([])
  })

  test('a short pause or a clock change ends no session', () => {
    const second = afterPageView(first, 4, 1_000 + sessionGapMs)
    const glance = afterPageView(second, 5, second.at + sessionGapMs - 1)
    const setBack = afterPageView(glance, 5, 0)
    for (const sessions of [second, glance, setBack])
      expect(newUids(added('a', 'b', 'c', 'd', 'e'), sessions)).toEqual(['e'])
  })

  test('the next session forgets the marks of the previous one', () => {
    const all = added('a', 'b', 'c', 'd', 'e', 'f')
    const second = afterPageView(afterPageView(first, 5, 1_000 + sessionGapMs), 5, 2_000 + sessionGapMs)
    expect(newUids(all, afterPageView(second, 6, second.at + sessionGapMs))).toEqual(['f'])
  })

  test('two tabs viewed in turn share one session', () => {
    let sessions: Sessions = afterPageView(first, 4, sessionGapMs + 1_000)
    for (let tab = 0; tab < 100; tab += 1) sessions = afterPageView(sessions, 6, sessions.at + 60_000)
    expect(newUids(added('a', 'b', 'c', 'd', 'e', 'f'), sessions)).toEqual(['e', 'f'])
  })
})

test('unseen teachings are those added since the last page view', () => {
  expect(unseenUids(added('a', 'b'), undefined)).toEqual([])
  expect(unseenUids(added('a', 'b'), afterPageView(undefined, 1, 5))).toEqual(['b'])
  expect(unseenUids(added('a', 'b'), afterPageView(undefined, 2, 5))).toEqual([])
})

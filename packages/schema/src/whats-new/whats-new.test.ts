import { describe, expect, test } from 'vitest'
import { arrive, look, mostArrivals, newUids, unseenUids, visitGapMs, type Visits } from './whats-new.ts'

const arrivals = (...came: string[]) => arrive(undefined, { came, left: [] })

describe('what counts as an arrival', () => {
  test('not what came before, nor what comes back after it left', () => {
    const left = arrive(arrivals('a'), { came: [], left: ['b', 'a'] })
    expect(arrive(left, { came: ['a', 'b'], left: [] }).newest).toBe(1)
    expect(arrive(left, { came: ['a', 'c'], left: [] }).came.map(({ uid }) => uid)).toEqual(['a', 'c'])
  })

  test('the last thousand stay, and their numbers go on', () => {
    const uids = Array.from({ length: mostArrivals + 2 }, (_, at) => `t${at}`)
    const { newest, came } = arrive(arrivals(...uids), { came: ['last'], left: [] })
    expect([newest, came.length, came[0]?.uid]).toEqual([mostArrivals + 3, mostArrivals, 't3'])
  })
})

describe('what counts as a visit', () => {
  const first = look(undefined, 4, 1_000)

  test('the first one marks nothing, also not what comes while it lasts', () => {
    expect(newUids(arrivals('a', 'b', 'c', 'd', 'e'), first)).toEqual([])
    expect(newUids(arrivals('a', 'b', 'c', 'd', 'e'), look(first, 5, 61_000))).toEqual([])
  })

  test('a pause below half an hour does not end it, a clock that was set back neither', () => {
    const second = look(first, 4, 1_000 + visitGapMs)
    const glance = look(second, 5, second.at + visitGapMs - 1)
    const setBack = look(glance, 5, 0)
    for (const visits of [second, glance, setBack])
      expect(newUids(arrivals('a', 'b', 'c', 'd', 'e'), visits)).toEqual(['e'])
  })

  test('the next one no longer marks what the one before had seen', () => {
    const all = arrivals('a', 'b', 'c', 'd', 'e', 'f')
    const second = look(look(first, 5, 1_000 + visitGapMs), 5, 2_000 + visitGapMs)
    expect(newUids(all, look(second, 6, second.at + visitGapMs))).toEqual(['f'])
  })

  test('two tabs that are looked at in turns are one', () => {
    let visits: Visits = look(first, 4, visitGapMs + 1_000)
    for (let tab = 0; tab < 100; tab += 1) visits = look(visits, 6, visits.at + 60_000)
    expect(newUids(arrivals('a', 'b', 'c', 'd', 'e', 'f'), visits)).toEqual(['e', 'f'])
  })
})

test('unseen is what came since the last look, and nothing where nobody ever looked', () => {
  expect(unseenUids(arrivals('a', 'b'), undefined)).toEqual([])
  expect(unseenUids(arrivals('a', 'b'), look(undefined, 1, 5))).toEqual(['b'])
  expect(unseenUids(arrivals('a', 'b'), look(undefined, 2, 5))).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeRoom, orderForPlace, placedAt, type Placed } from './display-order.ts'

const list = (...orders: number[]): Placed[] =>
  orders.map((displayOrder, at) => ({ id: at + 1, displayOrder }))
const after = (others: Placed[], move: { from?: number; to?: number }) => {
  const changed = new Map(makeRoom(others, move).map(({ id, displayOrder }) => [id, displayOrder]))
  return others.map(({ id, displayOrder }) => changed.get(id) ?? displayOrder)
}
const shown = (elders: Placed[]) =>
  elders.toSorted((a, b) => a.displayOrder - b.displayOrder || a.id - b.id).map(({ id }) => id)

describe('nothing moves', () => {
  test.each<[string, Placed[], { from?: number; to?: number }]>([
    ['where the number stays', list(0, 1, 2), { from: 1, to: 1 }],
    ['for a newcomer at a free number', list(0, 1, 2), { to: 3 }],
    ['for the last one who goes', list(0, 1), { from: 2 }],
    ['for one who goes and shared the number', list(0, 0, 1), { from: 0 }],
    ['behind a gap', list(10, 30), { from: 20 }],
  ])('%s', (_, others, move) => {
    expect(makeRoom(others, move)).toEqual([])
  })
})

test.each<[string, Placed[], { from?: number; to?: number }, number[]]>([
  ['a newcomer at the front pushes all', list(0, 1, 2), { to: 0 }, [1, 2, 3]],
  ['a newcomer in the middle pushes those behind', list(1, 2, 3), { to: 2 }, [1, 3, 4]],
  ['a push ends at a gap', list(1, 2, 7), { to: 1 }, [2, 3, 7]],
  ['who goes lets those behind move up', list(1, 3, 4), { from: 2 }, [1, 2, 3]],
  ['moving from first to last', list(2, 3), { from: 1, to: 3 }, [1, 2]],
  ['moving from last to first', list(1, 2), { from: 3, to: 1 }, [2, 3]],
  ['moving down among more', list(2, 3, 4), { from: 1, to: 3 }, [1, 2, 4]],
])('%s', (_, others, move, expected) => {
  expect(after(others, move)).toEqual(expected)
})

const order = fc.integer({ min: -3, max: 8 })

test('whatever happens, nobody overtakes anybody, and a newcomer stands before who had the number', () => {
  fc.assert(
    fc.property(fc.array(order, { maxLength: 8 }), fc.option(order), fc.option(order), (orders, from, to) => {
      const others = list(...orders)
      const move = { ...(from !== null && { from }), ...(to !== null && { to }) }
      const moved = after(others, move).map((displayOrder, at) => ({ id: at + 1, displayOrder }))
      expect(shown(moved)).toEqual(shown(others))
      if (to !== null && from !== to) expect(moved.map(({ displayOrder }) => displayOrder)).not.toContain(to)
    }),
  )
})

test('a number for any place in the list: the mover comes to stand there, the others keep their order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(order, { minLength: 1, maxLength: 8 }),
      fc.nat(7),
      fc.nat(7),
      (orders, who, where) => {
        const elders = list(...orders).toSorted((a, b) => a.displayOrder - b.displayOrder || a.id - b.id)
        const { id } = elders[who % elders.length]!
        const place = where % elders.length
        const to = orderForPlace(elders, id, place)
        const wanted = elders.map((elder) => elder.id).filter((other) => other !== id)
        wanted.splice(place, 0, id)
        if (to === undefined) expect(elders[place]!.id).toBe(id)
        else expect(placedAt(elders, id, to).map((elder) => elder.id)).toEqual(wanted)
      },
    ),
  )
})

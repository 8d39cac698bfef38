import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderBehind, orderForPlace, placedAt, shiftOrders, type Placed } from './display-order.ts'

const list = (...orders: number[]): Placed[] =>
  orders.map((displayOrder, at) => ({ id: at + 1, displayOrder }))
const after = (others: Placed[], move: { from?: number; to?: number }) => {
  const changed = new Map(shiftOrders(others, move).map(({ id, displayOrder }) => [id, displayOrder]))
  return others.map(({ id, displayOrder }) => changed.get(id) ?? displayOrder)
}
const shown = (elders: Placed[]) =>
  elders.toSorted((a, b) => a.displayOrder - b.displayOrder || a.id - b.id).map(({ id }) => id)

describe('other elders keep their number', () => {
  test.each<[string, Placed[], { from?: number; to?: number }]>([
    ['when the number is unchanged', list(0, 1, 2), { from: 1, to: 1 }],
    ['when a new elder takes a free number', list(0, 1, 2), { to: 3 }],
    ['when the last elder is deleted', list(0, 1), { from: 2 }],
    ['when a deleted elder shared the number', list(0, 0, 1), { from: 0 }],
    ['behind a gap', list(10, 30), { from: 20 }],
  ])('%s', (_, others, move) => {
    expect(shiftOrders(others, move)).toEqual([])
  })
})

test.each<[string, Placed[], { from?: number; to?: number }, number[]]>([
  ['a new elder at the front shifts all', list(0, 1, 2), { to: 0 }, [1, 2, 3]],
  ['a new elder in the middle shifts those behind', list(1, 2, 3), { to: 2 }, [1, 3, 4]],
  ['a shift ends at a gap', list(1, 2, 7), { to: 1 }, [2, 3, 7]],
  ['deleting an elder moves those behind up', list(1, 3, 4), { from: 2 }, [1, 2, 3]],
  ['moving from first to last', list(2, 3), { from: 1, to: 3 }, [1, 2]],
  ['moving from last to first', list(1, 2), { from: 3, to: 1 }, [2, 3]],
  ['moving down among several', list(2, 3, 4), { from: 1, to: 3 }, [1, 2, 4]],
])('%s', (_, others, move, expected) => {
  expect(after(others, move)).toEqual(expected)
})

const order = fc.integer({ min: -3, max: 8 })

test('a move keeps the order of the others', () => {
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

test('every index has a number that moves an elder there', () => {
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

test('a new elder stands behind all others, whatever the gaps', () => {
  expect(orderBehind([])).toBe(0)
  expect(orderBehind(list(0, 7, 3))).toBe(8)
})

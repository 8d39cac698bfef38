import { newElderDefaults } from './elders.limits.ts'

/** The sort key of elders: display order, then id. */
export interface Placed {
  readonly id: number
  readonly displayOrder: number
}

/**
 * The other elders shift automatically. Leaving a number moves the elders right behind it up; taking a used number moves
 * those from there on down. Numbers behind a gap stay, and the others keep their order.
 *
 * @param others all elders but the one that moves
 * @param move `from`: the old number (absent for a new elder), `to`: the new one (absent when deleted)
 * @returns the others whose number changes, with their new number
 */
export function shiftOrders(
  others: readonly Placed[],
  { from, to }: { from?: number | undefined; to?: number | undefined },
): Placed[] {
  if (from === to) return []
  const orders = new Map(others.map(({ id, displayOrder }) => [id, displayOrder]))
  const taken = (order: number) => [...orders.values()].includes(order)
  // When two share a number, removing one leaves no gap.
  if (from !== undefined && !taken(from)) shiftRun(orders, from + 1, -1)
  if (to !== undefined && taken(to)) shiftRun(orders, to, +1)
  return others
    .map(({ id }) => ({ id, displayOrder: orders.get(id)! }))
    .filter(({ displayOrder }, at) => displayOrder !== others[at]!.displayOrder)
}

/** Moves the elders from `first` on, up to the first gap. */
function shiftRun(orders: Map<number, number>, first: number, by: number): void {
  const values = new Set(orders.values())
  let end = first
  while (values.has(end)) end += 1
  for (const [id, order] of orders) if (order >= first && order < end) orders.set(id, order + by)
}

/** The number that puts a new elder behind all others. */
export const orderBehind = (rows: readonly Pick<Placed, 'displayOrder'>[]): number =>
  rows.length === 0 ? newElderDefaults.displayOrder : Math.max(...rows.map((row) => row.displayOrder)) + 1

/** The order, with the new numbers, after one elder took the number `to`. */
export function placedAt<Row extends Placed>(rows: readonly Row[], id: number, to: number): Row[] {
  const mover = rows.find((row) => row.id === id)
  if (!mover) return [...rows]
  const others = rows.filter((row) => row.id !== id)
  const shifted = new Map(
    shiftOrders(others, { from: mover.displayOrder, to }).map((row) => [row.id, row.displayOrder]),
  )
  return [
    ...others.map((row) => ({ ...row, displayOrder: shifted.get(row.id) ?? row.displayOrder })),
    { ...mover, displayOrder: to },
  ].sort((a, b) => a.displayOrder - b.displayOrder || a.id - b.id)
}

/**
 * The number that moves an elder to an index in the list, from 0; numbers may have gaps, but as the others shift, no two
 * are equal. Undefined when the elder already has this index.
 */
export function orderForPlace(rows: readonly Placed[], id: number, place: number): number | undefined {
  const holder = rows[place]
  if (!holder || holder.id === id) return undefined
  const { displayOrder } = holder
  return [displayOrder, displayOrder + 1, displayOrder - 1].find(
    (to) => placedAt(rows, id, to)[place]?.id === id,
  )
}

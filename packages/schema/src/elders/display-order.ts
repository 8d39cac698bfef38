/** What decides where an elder stands: the lower number first, of equal ones the older entry. */
export interface Placed {
  readonly id: number
  readonly displayOrder: number
}

/**
 * SPEC §3: the others make room. An elder who leaves a number lets those right behind move up; one who comes to a taken
 * number lets those from there on move down. Numbers behind a gap stay, and nobody overtakes anybody.
 *
 * @param others all elders but the one that moves
 * @param move `from`: the number that is left (absent for a newcomer), `to`: the one that is wanted (absent when deleted)
 * @returns the others whose number changes, with their new number
 */
export function makeRoom(
  others: readonly Placed[],
  { from, to }: { from?: number | undefined; to?: number | undefined },
): Placed[] {
  if (from === to) return []
  const orders = new Map(others.map(({ id, displayOrder }) => [id, displayOrder]))
  const taken = (order: number) => [...orders.values()].includes(order)
  // Where two share a number, the one who goes leaves no gap.
  if (from !== undefined && !taken(from)) shiftRun(orders, from + 1, -1)
  if (to !== undefined && taken(to)) shiftRun(orders, to, +1)
  return others
    .map(({ id }) => ({ id, displayOrder: orders.get(id)! }))
    .filter(({ displayOrder }, at) => displayOrder !== others[at]!.displayOrder)
}

/** Moves those who stand without a gap from `first` on. */
function shiftRun(orders: Map<number, number>, first: number, by: number): void {
  const values = new Set(orders.values())
  let end = first
  while (values.has(end)) end += 1
  for (const [id, order] of orders) if (order >= first && order < end) orders.set(id, order + by)
}

/** Where those who stand in this order would stand after one took the number `to`, with their new numbers. */
export function placedAt<Row extends Placed>(rows: readonly Row[], id: number, to: number): Row[] {
  const mover = rows.find((row) => row.id === id)
  if (!mover) return [...rows]
  const others = rows.filter((row) => row.id !== id)
  const shifted = new Map(
    makeRoom(others, { from: mover.displayOrder, to }).map((row) => [row.id, row.displayOrder]),
  )
  return [
    ...others.map((row) => ({ ...row, displayOrder: shifted.get(row.id) ?? row.displayOrder })),
    { ...mover, displayOrder: to },
  ].sort((a, b) => a.displayOrder - b.displayOrder || a.id - b.id)
}

/**
 * The number that brings somebody to a place in the list, counted from 0; numbers may have gaps, but
 * as the others make room, no two share one.
 * Undefined where they stand there already.
 */
export function orderForPlace(rows: readonly Placed[], id: number, place: number): number | undefined {
  const holder = rows[place]
  if (!holder || holder.id === id) return undefined
  const { displayOrder } = holder
  return [displayOrder, displayOrder + 1, displayOrder - 1].find(
    (to) => placedAt(rows, id, to)[place]?.id === id,
  )
}

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

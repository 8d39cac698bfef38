/** The list with one member at another index; an index outside of the list means its nearest end. */
export function moved<Value>(list: readonly Value[], from: number, to: number): Value[] {
  const rest = list.filter((_, at) => at !== from)
  rest.splice(Math.max(0, to), 0, ...list.slice(from, from + 1))
  return rest
}

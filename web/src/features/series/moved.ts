/** The list with one member at another place; a place outside of the list is its nearest end. */
export function moved<Value>(list: readonly Value[], from: number, to: number): Value[] {
  const rest = list.filter((_, at) => at !== from)
  rest.splice(Math.max(0, to), 0, ...list.slice(from, from + 1))
  return rest
}

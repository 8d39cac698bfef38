/** Makes a value for the first who asks, and keeps it. */
export function onceMade<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

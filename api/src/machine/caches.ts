/** Makes a value at the first call, and caches it. */
export function onceMade<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Caches the value of the newest key. One that could not be made is made again by the next call. */
export function madeForKey<Value>(): (key: string, make: () => Promise<Value>) => Promise<Value> {
  let made: { key: string; value: Promise<Value> } | undefined
  return (key, make) => {
    if (made?.key === key) return made.value
    const entry = { key, value: make() }
    made = entry
    entry.value.catch(() => {
      if (made === entry) made = undefined
    })
    return entry.value
  }
}

/** A map that drops the least recently used entry beyond `most`. */
export class RecentMap<Value extends {}> extends Map<string, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override get(key: string): Value | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  override set(key: string, value: Value): this {
    super.delete(key)
    super.set(key, value)
    if (this.size > this.#most) super.delete(this.keys().next().value!)
    return this
  }
}

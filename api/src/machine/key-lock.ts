/** A mutex per key: work runs in sequence for the same key, concurrently for different ones. */
export type KeyLock = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function keyLock(): KeyLock {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

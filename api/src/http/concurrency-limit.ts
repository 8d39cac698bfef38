import type { Problem } from '@fellowship/schema/problem'

/** Limits how much work runs at the same time: per key and in total. */
export interface ConcurrencyLimit {
  /**
   * Takes a slot; call the returned function once when the work has ended.
   *
   * @throws the refusal
   */
  enter(key: string): () => void
}

export function concurrencyLimit(
  limits: { each: number; all: number },
  refusal: () => Problem,
): ConcurrencyLimit {
  const taken = new Map<string, number>()
  let all = 0
  return {
    enter(key) {
      const own = taken.get(key) ?? 0
      if (all >= limits.all || own >= limits.each) throw refusal()
      all += 1
      taken.set(key, own + 1)
      return () => {
        all -= 1
        const left = taken.get(key)! - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    },
  }
}

import type { Problem } from '@fellowship/schema/problem'

/** Places for work that goes on at the same time, by who asks for it and in all. */
export interface Places {
  /**
   * Takes a place; call the returned function once when the work has ended.
   *
   * @throws the refusal
   */
  enter(key: string): () => void
}

export function placesFor(limits: { each: number; all: number }, refusal: () => Problem): Places {
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

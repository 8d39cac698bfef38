/** A seeded source of chance: the same seed tells the same story again. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(of: readonly T[]): T
}

/** mulberry32, a public-domain generator by Tommy Ettinger: small, fast, good enough to choose test steps. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: <T>(of: readonly T[]) => of[int(of.length)]!,
  }
}

/** A seeded pseudo-random number generator. */
export interface Random {
  /** From 0 to before `below`. */
  readonly whole: (below: number) => number
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
  readonly uuid: () => string
}

/** mulberry32, by Tommy Ettinger: small, and good enough for generated content. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number) => Math.floor(next() * below)
  const hex = (digits: number) => Array.from({ length: digits }, () => whole(16).toString(16)).join('')
  return {
    whole,
    pick: (list) => list[whole(list.length)] ?? list[0],
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  }
}

import { seededRandom as seededNumbers } from '@fellowship/schema/testing/random'

/** A seeded random generator: the same seed yields the same sequence. */
export interface Random {
  /** An integer from 0 to `below`, exclusive. */
  int(below: number): number
  /** True with the given probability, from 0 to 1. */
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Creates a generator for one history from its seed. */
export function seededRandom(seed: number): Random {
  const { whole } = seededNumbers(seed)
  return {
    int: whole,
    chance: (probability) => whole(2 ** 32) / 2 ** 32 < probability,
    pick: <T>(list: readonly T[]) => list[whole(list.length)]!,
  }
}

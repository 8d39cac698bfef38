import { seededRandom as seededNumbers } from '@fellowship/schema/testing/random'

/** A seeded source of chance: the same seed tells the same story again. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(of: readonly T[]): T
}

/** The generator of the invented content, asked the questions that a history asks. */
export function seededRandom(seed: number): Random {
  const { whole } = seededNumbers(seed)
  return {
    int: whole,
    chance: (probability) => whole(2 ** 32) / 2 ** 32 < probability,
    pick: <T>(of: readonly T[]) => of[whole(of.length)]!,
  }
}

/** Enough rounds that one disturbed round does not move the median. */
const usualRounds = 5

export interface Paired {
  product: number
  yardstick: number
  /** Product ÷ yardstick, round by round. */
  ratios: number[]
}

/**
 * Measures both alternately (A B A B …) after a warm-up of each, so that other load on the machine affects both alike.
 * Returns the medians, and the ratio of each round.
 */
export async function sideBySide(
  product: (round: number) => Promise<number>,
  yardstick: (round: number) => Promise<number>,
  rounds = usualRounds,
): Promise<Paired> {
  await product(-1)
  await yardstick(-1)
  const pairs: { product: number; yardstick: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ product: await product(round), yardstick: await yardstick(round) })
  }
  return {
    product: median(pairs.map((pair) => pair.product)),
    yardstick: median(pairs.map((pair) => pair.yardstick)),
    ratios: pairs.map((pair) => pair.product / pair.yardstick),
  }
}

export const median = (values: readonly number[]) => percentile(values, 0.5)

/** @param share 0.95 for the 95th percentile */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** The median ratio and its range, formatted for the table. */
export function ratioText(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(2)} × (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

export const medianAndRange = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`

/** Enough for a median that one disturbed round does not move. */
const usualRounds = 5

export interface Paired {
  product: number
  yardstick: number
  /** Product ÷ yardstick, round by round. */
  ratios: number[]
}

/**
 * Measures both in turn (A B A B …) after a warm-up of each, so that whatever else the machine does meets both alike.
 * The medians; ratios are paired within a round.
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

/** @param share 0.95 for the value that 95 % do not exceed */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** The median ratio and its range, as it stands in the table. */
export function ratioText(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(2)} × (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

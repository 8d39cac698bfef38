import type { BenchRow } from './area.ts'
import { percentile, ratioText, type Paired } from './rounds.ts'

/**
 * Repeats `work` sequentially until `isOver` returns true; a percentile of its durations in milliseconds.
 *
 * @param share 0.95 for the 95th percentile
 */
export async function latencyPercentile(
  work: () => Promise<unknown>,
  share: number,
  isOver: () => boolean,
): Promise<number> {
  const times: number[] = []
  while (!isOver()) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
    // Without a pause between requests this loop would itself be the load.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return percentile(times, share)
}

/** A check that turns true this many milliseconds from now. */
export function timeIsUp(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}

/** As `latencyPercentile`, measured while `other` runs once. */
export async function latencyPercentileDuring(
  other: () => Promise<unknown>,
  work: () => Promise<unknown>,
  share: number,
): Promise<number> {
  let isOver = false
  const done = other().finally(() => (isOver = true))
  const time = await latencyPercentile(work, share, () => isOver)
  await done
  return time
}

/** A row for a latency in milliseconds that has no target. */
export const latencyRow = (work: string, measured: Paired, beside: string): BenchRow => ({
  work,
  product: `${measured.product.toFixed(1)} ms`,
  yardstick: `${beside} ${measured.yardstick.toFixed(1)} ms`,
  ratio: ratioText(measured.ratios),
  target: '–',
  met: true,
})

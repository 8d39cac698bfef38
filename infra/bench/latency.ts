import type { Figure } from './area.ts'
import { percentile, ratioText, type Paired } from './rounds.ts'

/**
 * How long `work` takes, in milliseconds, one after the other, for as long as `isOver` says no.
 *
 * @param share 0.95 for the value that 95 % do not exceed
 */
export async function slowest(
  work: () => Promise<unknown>,
  share: number,
  isOver: () => boolean,
): Promise<number> {
  const times: number[] = []
  while (!isOver()) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
    // Whoever asks waits between two requests; without a pause this loop would be the load itself.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return percentile(times, share)
}

/** Says no for so many milliseconds from now. */
export function after(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}

/** As `slowest`, while `other` is done once. */
export async function slowestDuring(
  other: () => Promise<unknown>,
  work: () => Promise<unknown>,
  share: number,
): Promise<number> {
  let isOver = false
  const done = other().finally(() => (isOver = true))
  const time = await slowest(work, share, () => isOver)
  await done
  return time
}

/** What was noticed of a work, in milliseconds, beside the same without it or beside another who did it. */
export const latencyFigure = (work: string, measured: Paired, beside: string): Figure => ({
  work,
  product: `${measured.product.toFixed(1)} ms`,
  yardstick: `${beside} ${measured.yardstick.toFixed(1)} ms`,
  ratio: ratioText(measured.ratios),
  target: '–',
  met: true,
})

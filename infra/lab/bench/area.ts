import type { Tool } from './tools.ts'

/** One row of the results table. */
export interface BenchRow {
  work: string
  /** What the product reached, with its unit. */
  product: string
  /** What the yardstick reached in the same run, and which one it is. */
  yardstick: string
  /** Product ÷ yardstick: the median of the paired rounds, and their range. */
  ratio: string
  /** The goal of this row, or '–'. */
  target: string
  met: boolean
}

/** What an area is given while it runs. */
export interface Run {
  /** Hands over a row as soon as it is measured. */
  report: (row: BenchRow) => void
  /** Registers cleanup, such as stopping a server; runs last first, also when the area fails. */
  onEnd: (cleanup: () => Promise<void> | void) => void
}

/** One thing to measure: `npm run bench -- <name>`. */
export interface Area {
  readonly name: string
  /** The area is skipped when one of these programs is not installed. */
  readonly needs: readonly Tool[]
  run(run: Run): Promise<void>
}

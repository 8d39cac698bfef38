import type { Tool } from './tools.ts'

/** One row of the results table. */
export interface BenchRow {
  work: string
  /** The figure of the product, with its unit. */
  product: string
  /** The yardstick’s name and its figure in the same run. */
  yardstick: string
  /** Product ÷ yardstick: the median of the paired rounds, and their range. */
  ratio: string
  /** The goal of this row, or '–'. */
  target: string
  met: boolean
}

/** The means of an area while it runs. */
export interface Run {
  /** Hands over a row as soon as it is measured. */
  report: (row: BenchRow) => void
  /** Registers cleanup, such as stopping a server; runs last first, also if the area fails. */
  onEnd: (cleanup: () => Promise<void> | void) => void
}

/** One thing to measure: `npm run bench -- <name>`. */
export interface Area {
  readonly name: string
  /** The area is skipped if one of these programs is not installed. */
  readonly needs: readonly Tool[]
  run(run: Run): Promise<void>
}

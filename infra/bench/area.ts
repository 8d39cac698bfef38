import type { Tool } from './tools.ts'

/** One line of the table. */
export interface Figure {
  work: string
  /** What the product did, with its unit. */
  product: string
  /** What the yardstick did in the same run, and which one it is. */
  yardstick: string
  /** Product ÷ yardstick: the median of the paired rounds, and their range. */
  ratio: string
  /** What DESIGN 11 asks for. */
  target: string
  met: boolean
}

/** Something that is measured by itself: `npm run bench -- <name>`. */
export interface Area {
  readonly name: string
  /** Without these programs the area is skipped with a line. */
  readonly needs: readonly Tool[]
  run(): Promise<Figure[]>
}

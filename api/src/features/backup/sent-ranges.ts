/** Bytes of a file by offset, `end` included. */
export interface SentRange {
  readonly start: number
  readonly end: number
}

/** The ranges with another one, in order; those that touch or overlap are one. */
export function withRange(ranges: readonly SentRange[], added: SentRange): SentRange[] {
  if (added.end < added.start) return [...ranges]
  const touches = ({ start, end }: SentRange) => start <= added.end + 1 && end >= added.start - 1
  const joined = [added, ...ranges.filter(touches)]
  const start = Math.min(...joined.map((range) => range.start))
  const end = Math.max(...joined.map((range) => range.end))
  return [...ranges.filter((range) => !touches(range)), { start, end }].sort((a, b) => a.start - b.start)
}

/** Whether they hold every byte of a file of this size. */
export const isWhole = (ranges: readonly SentRange[], bytes: number): boolean =>
  ranges.length === 1 && ranges[0]!.start === 0 && ranges[0]!.end >= bytes - 1

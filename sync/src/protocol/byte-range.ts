/** What to answer to a Range header over a body of known size. `start` and `end` are inclusive. */
export type RangePlan =
  | { status: 200; start: 0; end: number }
  | { status: 206; start: number; end: number }
  | { status: 416 }

/**
 * RFC 9110 14.1-14.2 for a single byte range. What is malformed or asks for several ranges is ignored (the whole
 * body is always a right answer); a range that starts behind the end, or an empty suffix, cannot be satisfied.
 */
export function planRange(header: string | null | undefined, size: number): RangePlan {
  const whole = { status: 200, start: 0, end: size - 1 } as const
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return whole
  const [first, last] = [match[1]!, match[2]!]
  if (first === '') {
    const length = Number(last)
    if (length === 0 || size === 0) return { status: 416 }
    return { status: 206, start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return whole
  if (start >= size) return { status: 416 }
  return { status: 206, start, end }
}

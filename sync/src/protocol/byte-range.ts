/** The response to a Range header for a body of known size. `start` and `end` are inclusive byte offsets. */
export type RangePlan =
  | { status: 200; start: 0; end: number }
  | { status: 206; start: number; end: number }
  | { status: 416 }

/**
 * Plans the response to a single byte range (RFC 9110, 14.1-14.2). A malformed header or several ranges are ignored,
 * and the whole body is sent with 200; a range that starts past the end, or an empty suffix, is answered with 416.
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

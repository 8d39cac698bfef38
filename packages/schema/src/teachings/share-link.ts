/**
 * The path of one teaching, without the site's origin.
 *
 * @param at the second to start at; absent or 0 for the start
 */
export function sharePath(uid: string, at = 0): string {
  const second = Math.floor(at)
  return `/teaching?t=${uid}${second > 0 ? `&at=${second}` : ''}`
}

/** The start second in a link; undefined when invalid. A day is longer than any recording. */
export function startSecond(value: unknown): number | undefined {
  const second = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof second === 'number' && second > 0 && second < 86_400 ? Math.floor(second) : undefined
}

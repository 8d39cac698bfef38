/**
 * The address of one teaching, to be put behind the site's origin: it opens wherever the library would list it.
 *
 * @param at the second to begin at; left out, or 0, the beginning
 */
export function sharePath(uid: string, at = 0): string {
  const second = Math.floor(at)
  return `/teaching?t=${uid}${second > 0 ? `&at=${second}` : ''}`
}

/** The second that an address asks for; undefined for what is none. A day is longer than any recording. */
export function askedSecond(value: unknown): number | undefined {
  const second = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof second === 'number' && second > 0 && second < 86_400 ? Math.floor(second) : undefined
}

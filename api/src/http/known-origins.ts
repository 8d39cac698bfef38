import type { Clock } from '../machine/clock.ts'

/** Origins for which answers are kept, and how often a further one replaces another. */
const most = 4
const replaceMs = 10_000

/**
 * Whether answers that contain this origin are worth keeping. Without PUBLIC_URL the origin is whatever a Host header says,
 * so a caller who invents names could replace everything that is kept: a new one is admitted every ten seconds at most.
 */
export function knownOrigins({ now }: Pick<Clock, 'now'>): (origin: string) => boolean {
  const known = new Set<string>()
  let replacedAt = -Infinity
  return (origin) => {
    const isFull = known.size >= most
    if (!known.has(origin)) {
      if (isFull && now().getTime() - replacedAt < replaceMs) return false
      if (isFull) {
        replacedAt = now().getTime()
        known.delete(known.values().next().value!)
      }
    }
    // The one used least recently is the next to go.
    known.delete(origin)
    known.add(origin)
    return true
  }
}

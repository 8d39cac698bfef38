import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** What comes after the open teaching, and how many before it cannot be played now. */
export interface Following {
  /** Undefined where none of the list can be played. */
  next: Teaching | undefined
  skipped: number
}

/** The first of the list that can be played; the open teaching may still be in it. */
export function nextOf(
  teachings: readonly Teaching[],
  open: string | undefined,
  canPlay: (teaching: Teaching) => boolean,
): Following {
  const waiting = teachings.filter(({ uid }) => uid !== open)
  const at = waiting.findIndex(canPlay)
  return { next: waiting[at], skipped: at < 0 ? waiting.length : at }
}

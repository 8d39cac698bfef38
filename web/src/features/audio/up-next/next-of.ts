import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'

/** The teaching after the open one, and the number of skipped ones that cannot be played now. */
export interface Following {
  /** Undefined if none of the list can be played. */
  next: ListedTeaching | undefined
  skipped: number
}

/** The first of the list that can be played; the open teaching may still be in it. */
export function nextOf(
  teachings: readonly ListedTeaching[],
  open: string | undefined,
  canPlay: (teaching: ListedTeaching) => boolean,
): Following {
  const waiting = teachings.filter(({ uid }) => uid !== open)
  const at = waiting.findIndex(canPlay)
  return { next: waiting[at], skipped: at < 0 ? waiting.length : at }
}

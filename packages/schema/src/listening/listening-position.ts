/** The position of a person in a teaching. */
export interface ListeningPosition {
  /** Seconds from the start. */
  seconds: number
  /** Seconds of the whole recording, as the player measured it. */
  duration: number
  /** When it was heard, epoch milliseconds of the device: on a merge the newest listening wins, not the newest write. */
  listenedAt: number
  /** Earlier positions, newest first, for undoing an accidental seek. */
  earlier: readonly { seconds: number; listenedAt: number }[]
}

/** A moment of playback. `startedAgain`: the person chose to start over; `stopped`: playback has paused there. */
export interface ListeningMoment {
  seconds: number
  duration: number
  at: number
  startedAgain?: boolean
  stopped?: boolean
}

/** Seconds below which a position counts as not listened to yet. */
export const leastSeconds = 15
/** Seconds to the end below which the recording counts as finished and starts over next time. */
export const endSeconds = 20
/** How many earlier positions are kept. */
export const earlierKept = 5
/** Seeks shorter than this, in seconds, store no earlier position. */
const jumpSeconds = 60

/**
 * The position after a moment of playback. Players report 0 when they open, close or fail, so a saved position is never
 * replaced by one in the first seconds unless the person chose to start over.
 */
export function advancePosition(
  saved: ListeningPosition | undefined,
  { seconds, duration, at, startedAgain = false }: ListeningMoment,
): ListeningPosition | undefined {
  if (!Number.isFinite(seconds) || !Number.isFinite(duration) || duration <= 0) return saved
  if (saved && at < saved.listenedAt) return saved
  if (seconds < leastSeconds && !startedAgain) return saved
  const jumped = saved !== undefined && Math.abs(saved.seconds - seconds) > jumpSeconds
  const earlier = saved?.earlier ?? []
  return {
    seconds,
    duration,
    listenedAt: at,
    earlier: jumped
      ? [{ seconds: saved.seconds, listenedAt: saved.listenedAt }, ...earlier].slice(0, earlierKept)
      : earlier,
  }
}

/** The second to resume at; 0 when it was never started or is finished. */
export function resumeAt(saved: ListeningPosition | undefined): number {
  return saved && saved.seconds < saved.duration - endSeconds ? saved.seconds : 0
}

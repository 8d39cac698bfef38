/** Where somebody stopped listening. */
export interface ListeningPosition {
  /** Seconds from the start. */
  seconds: number
  /** Seconds of the whole recording, as the player measured it. */
  duration: number
  /** When it was listened to, epoch milliseconds of the device: the newest listening counts, not the newest write. */
  listenedAt: number
  /** Earlier positions, newest first, for undoing a slip of the finger. */
  earlier: readonly { seconds: number; listenedAt: number }[]
}

/** What the player saw. `startedAgain`: the person asked for the beginning. */
export interface ListeningMoment {
  seconds: number
  duration: number
  at: number
  startedAgain?: boolean
}

/** A position nearer to the start is a player that was just opened, not a person who listened. */
export const leastSeconds = 15
/** Nearer to the end than this counts as heard to the end: next time begins at the start. */
export const endSeconds = 20
const earlierKept = 5
/** Jumps shorter than this are ordinary listening and leave no earlier position behind. */
const jumpSeconds = 60

/**
 * The position after a moment of listening. Players report 0 when they open, close or fail: a saved position is
 * never given up for the first seconds unless the person asked for it (a complaint of seven trackers).
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

/** Where to go on: the saved second, or 0 for what was never begun or heard to the end. */
export function resumeAt(saved: ListeningPosition | undefined): number {
  return saved && saved.seconds < saved.duration - endSeconds ? saved.seconds : 0
}

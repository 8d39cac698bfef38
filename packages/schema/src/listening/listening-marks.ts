import { endSeconds, resumeAt, type ListeningPosition } from './listening-position.ts'

/** A choice of a person and its time in epoch milliseconds: the later choice wins when two are merged. */
export interface MarkChoice {
  on: boolean
  at: number
}

/** The marks of a teaching; one that was never set is absent. */
export interface ListeningMarks {
  favourite?: MarkChoice | undefined
  /** Set by hand, or when listening comes near the end. */
  heard?: MarkChoice | undefined
}

export type MarkName = keyof ListeningMarks

type Place = Pick<ListeningPosition, 'seconds' | 'duration'>

/**
 * Whether a teaching counts as heard: after 97 % of it, when it would start from the beginning, or in the last two minutes if
 * it has ten or more.
 */
export const isNearEnd = ({ seconds, duration }: Place): boolean =>
  seconds >= duration * heardShare ||
  duration - seconds <= endSeconds ||
  (duration >= longSeconds && duration - seconds <= lastSeconds)

const heardShare = 0.97
const lastSeconds = 120
const longSeconds = 600

/** Whether listening has just come near the end, which marks a teaching as heard. */
export const comesNearEnd = (before: Place | undefined, now: Place): boolean =>
  isNearEnd(now) && !(before && isNearEnd(before))

/** Whether a teaching counts as heard; devices that listened before there were marks have the position alone. */
export const isHeard = (position: Place | undefined, marks: ListeningMarks | undefined): boolean =>
  marks?.heard ? marks.heard.on : position !== undefined && isNearEnd(position)

/** Whether a teaching was begun and not finished. If a person listens after the mark 'heard', it is unfinished again. */
export function isUnfinished(
  position: ListeningPosition | undefined,
  marks: ListeningMarks | undefined,
): position is ListeningPosition {
  if (!position || resumeAt(position) === 0 || isNearEnd(position)) return false
  return !marks?.heard?.on || position.listenedAt > marks.heard.at
}

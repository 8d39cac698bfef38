import { z } from 'zod'
import { mostSilences, silentEnds } from '@fellowship/schema/copies/copies.limits'

/** Waveform and silences of a recording, stored as a small file beside it. */
export const sound = z.object({
  /** Of the recording, in seconds. */
  seconds: z.number(),
  /** One letter per equal part of the recording for its highest sample: 'A' if silent, '_' if the highest of all. */
  peaks: z.string(),
  /** Starts and lengths of silences in tenths of a second, in turn, in the order of time. */
  silences: z.array(z.int().nonnegative()),
})
export type Sound = z.infer<typeof sound>

/** @param peaks shares of the highest one, 0 to 1 */
export function packSound({
  seconds,
  peaks,
  silences,
}: {
  seconds: number
  peaks: readonly number[]
  silences: readonly (readonly [start: number, end: number])[]
}): Sound {
  const longest = [...silences]
    .sort(([a, b], [c, d]) => d - c - (b - a))
    .slice(0, mostSilences)
    .sort(([a], [b]) => a - b)
  return {
    seconds: Math.round(seconds * 1000) / 1000,
    peaks: peaks.map((peak) => letters[Math.round(Math.min(1, Math.max(0, peak)) * 63)]!).join(''),
    // Rounded inwards, so that no audible part is skipped.
    silences: longest.flatMap(([start, end]) => {
      const from = Math.ceil(start * 10)
      return [from, Math.max(0, Math.floor(end * 10) - from)]
    }),
  }
}

/** The peaks as shares of the highest one. */
export const peaksOf = ({ peaks }: Sound): number[] =>
  [...peaks].map((letter) => Math.max(0, letters.indexOf(letter)) / 63)

/** Starts and ends of the silences, in seconds. */
export function silencesOf({ silences }: Sound): { start: number; end: number }[] {
  return Array.from({ length: Math.floor(silences.length / 2) }, (_, at) => {
    const start = silences[2 * at]!
    return { start: start / 10, end: (start + silences[2 * at + 1]!) / 10 }
  })
}

/**
 * Seconds to cut off at the start and the end; undefined if there is no long silence. A short part of each silence stays,
 * and a recording is left as it is when one silence spans all of it.
 */
export function trimOf(given: Sound): { start: number; end: number } | undefined {
  const silences = silencesOf(given)
  const first = silences.find(({ start }) => start <= edge)
  const last = silences.findLast(({ end }) => end >= given.seconds - edge)
  // The whole recording is silent.
  if (first && first === last) return undefined
  const start = first ? worthCutting(first.end) : 0
  const end = last ? worthCutting(given.seconds - last.start) : 0
  return start > 0 || end > 0 ? { start, end } : undefined
}

/** Tolerance in seconds: silences are stored in tenths of a second, rounded inwards. */
const edge = 0.25

const worthCutting = (silence: number): number =>
  silence >= silentEnds.fault - edge ? Math.round((silence - silentEnds.kept) * 10) / 10 : 0

/** Base64url's, in its order. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

import { counted } from '../counted.ts'

/** The kinds of data that are removed by age, with the words for one item. */
const sweepNouns = {
  bin: 'deleted teaching',
  events: 'deleted event',
  inbox: 'recording in the Inbox',
  notices: 'deleted notice',
  pages: 'deleted page',
  replaced: 'replaced recording',
  series: 'deleted series',
  transcripts: 'earlier text',
  uploads: 'unfinished upload',
} as const
export type SweepName = keyof typeof sweepNouns

/** A removal by age stops if it would remove more than this share of the items, */
export const sweepShare = 1 / 5
/** and more than so many: a few may all be old at once. */
export const fewestHeld = 3

/** '7 of 9 recordings in the Inbox' */
export function dueWords({ name, due, total }: { name: SweepName; due: number; total: number }): string {
  if (name === 'inbox') return `${due} of ${counted(total, 'recording')} in the Inbox`
  // The same word for one and for many.
  if (name === 'series') return `${due} of ${total} ${sweepNouns.series}`
  return `${due} of ${counted(total, sweepNouns[name])}`
}

/** A length of time in its largest unit: '26 years', '3 hours'. */
export function roughTime(seconds: number): string {
  const size = Math.abs(seconds)
  const [unit, length] = units.find(([, one]) => size >= one) ?? units.at(-1)!
  return counted(Math.round(size / length), unit)
}

const hour = 60 * 60
const units: readonly (readonly [unit: string, seconds: number])[] = [
  ['year', 365.25 * 24 * hour],
  ['day', 24 * hour],
  ['hour', hour],
]

import { seriesLimits } from './series.limits.ts'

/** Messages about series. */
export const seriesTexts = {
  titleRequired: 'A series needs a title.',
  tooLong: `A series holds ${seriesLimits.teachings} teachings at most. Begin a second series.`,
  twice: 'Each of the teachings stands in a series once. Take it out of its other place first.',
  tooMany: `There are ${seriesLimits.all} series already, with those in the bin. Put new teachings into one of them.`,
  changed: 'This series was changed by someone else since you opened it.',
  gone: 'This series was deleted.',
  alreadyGone: 'This series was already deleted.',
  notInBin: 'This series is not in the bin any more.',
} as const

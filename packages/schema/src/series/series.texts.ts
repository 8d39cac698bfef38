import { church } from '../church.ts'
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
  confirmDelete: 'Are you sure you want to delete this series? Its teachings stay in the library.',
  created: 'Series Created',
  updated: 'Series updated successfully',
  deleted: 'Series Deleted',
  binEmpty: 'No series was deleted in the last 30 days',
  binFailed: 'The deleted series could not be loaded',
  restoreFailed: 'The series could not be restored',
  restored: 'Series Restored',
  saveFailed: 'Failed to save the series',
  deleteFailed: 'Failed to delete the series',
  conflict: 'Somebody else changed this series at the same time. Choose what it should say.',
  deleteConflict: 'Somebody else changed this series since you saw it. Should it still be deleted?',
  goneMeanwhile: 'Somebody else deleted this series. Your change cannot be saved.',
  all: 'Series',
  listed: `Teaching that belongs together, in order, at ${church.name}.`,
  none: 'There are no series yet.',
  noTeaching: 'There is no teaching in this series yet.',
  missing: 'We can’t find that series. It may have been removed, or the link may be incomplete.',
  notHere: {
    title: 'This series is not on your device yet.',
    sentence: 'If it is in the library, it will appear here when you’re back online.',
  },
  about: (title: string) => `${title}: a series of teaching at ${church.name}.`,
  notInBin: 'This series is not in the bin any more.',
} as const

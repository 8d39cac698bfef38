import { church } from '../church.ts'
import { seriesLimits } from './series.limits.ts'

/** Messages about series. */
export const seriesTexts = {
  titleRequired: 'A series needs a title.',
  tooLong: `A series holds ${seriesLimits.teachings} teachings at most. Begin a second series.`,
  twice: 'Each of the teachings stands in a series once. Take it out of its other place first.',
  full: `It has ${seriesLimits.teachings} teachings, which is all it holds`,
  already: 'This teaching is in it',
  tooMany: `There are ${seriesLimits.all} series already, with those in the bin. Put new teachings into one of them.`,
  allFull: `All series together, with those in the bin, hold ${seriesLimits.allTeachings} teachings at most. Take some out first.`,
  wordsFull:
    'The descriptions of all series together, with those in the bin, are as long as they may be. Shorten some first.',
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
  pictureSaved: 'Picture saved',
  pictureRemoved: 'Picture removed',
  pictureFailed: 'Failed to save the picture',
  pictureHint:
    'JPEG, PNG or WebP, smaller than 5MB. The page and podcast apps show the middle of it as a square.',
  pictureOffline: 'You are offline. A picture is sent at once: it can be saved when you’re back online.',
  saveFailed: 'Failed to save the series',
  deleteFailed: 'Failed to delete the series',
  conflict: 'Someone else changed this series at the same time. Choose what it should say.',
  deleteConflict: 'Someone else changed this series since you saw it. Should it still be deleted?',
  goneMeanwhile: 'This series is not there any more. Your change cannot be saved.',
  all: 'Series',
  none: 'There are no series yet.',
  noTeaching: 'There is no teaching in this series yet.',
  missing: 'We can’t find that series. It may have been removed, or the link may be incomplete.',
  notHere: {
    title: 'This series is not on your device yet.',
    sentence: 'If it is in the library, it will appear here when you’re back online.',
  },
  about: (title: string) => `${title}: a series of teaching at ${church().name}.`,
  notInBin: 'This series is not in the bin any more.',
} as const

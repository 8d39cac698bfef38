import { counted } from '../counted.ts'

/** Messages of the storage statistics, of the cleanup of orphaned recordings, and of saving and downloading a recording. */
export const audioTexts = {
  statisticsFetchFailed: 'Failed to fetch stats',
  statisticsLoadFailed: 'Failed to load statistics',
  cleanupFailed: 'Cleanup Failed',
  cleanupComplete: (deleted: number, errors: number) => ({
    title: 'Cleanup Complete',
    description: `${counted(deleted, 'file')} deleted, ${counted(errors, 'error')}`,
  }),
  downloadFailed: 'Download Failed',
  replaced: 'The library has another recording of this teaching now.',
  damaged: 'The download was damaged three times. Ask an administrator to upload this recording again.',
} as const

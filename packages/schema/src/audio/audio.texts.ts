import { counted } from '../counted.ts'

/** SPEC §8, storage statistics and the cleaning up of recordings that no teaching refers to; and why one cannot be saved. */
export const audioTexts = {
  statisticsFetchFailed: 'Failed to fetch stats',
  statisticsLoadFailed: 'Failed to load statistics',
  cleanupFailed: 'Cleanup Failed',
  cleanupComplete: (deleted: number, errors: number) => ({
    title: 'Cleanup Complete',
    description: `${counted(deleted, 'file')} deleted, ${counted(errors, 'error')}`,
  }),
  replaced: 'The library has another recording of this teaching now.',
  damaged: 'It came damaged three times. Whoever looks after the library has to put it in order.',
} as const

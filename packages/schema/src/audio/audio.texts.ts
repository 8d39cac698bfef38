import { counted } from '../counted.ts'

/** SPEC §8, storage statistics and the cleaning up of recordings that no teaching refers to. */
export const audioTexts = {
  statisticsFetchFailed: 'Failed to fetch stats',
  statisticsLoadFailed: 'Failed to load statistics',
  cleanupFailed: 'Cleanup Failed',
  cleanupComplete: (deleted: number, errors: number) => ({
    title: 'Cleanup Complete',
    description: `${counted(deleted, 'file')} deleted, ${counted(errors, 'error')}`,
  }),
} as const

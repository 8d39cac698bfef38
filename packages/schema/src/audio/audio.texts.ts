/** SPEC §8, storage statistics and the cleaning up of recordings that no teaching refers to. */
export const audioTexts = {
  statisticsFetchFailed: 'Failed to fetch stats',
  statisticsLoadFailed: 'Failed to load statistics',
  cleanupFailed: 'Cleanup Failed',
  cleanupComplete: (deleted: number, errors: number) => ({
    title: 'Cleanup Complete',
    description: `${count(deleted, 'file')} deleted, ${count(errors, 'error')}`,
  }),
} as const

const count = (n: number, noun: string) => `${n} ${n === 1 ? noun : `${noun}s`}`

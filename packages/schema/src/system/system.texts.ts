/** Messages of System Info. */
export const systemTexts = {
  fetchFailed: 'Failed to fetch system info',
  loadFailed: 'Failed to load system information',
  goesOn: { title: 'Removal goes on', description: 'What is due is removed within the hour.' },
  goOnFailed: 'Removal could not go on',
  cacheClearFailed: 'Cache Clear Failed',
  cacheCleared: {
    title: 'Cache Cleared',
    description: 'The site’s files are downloaded again. Saved audio and unsent changes are untouched.',
  },
} as const

/** Messages of System Info. */
export const systemTexts = {
  fetchFailed: 'Failed to fetch system info',
  loadFailed: 'Failed to load system information',
  cacheClearFailed: 'Cache Clear Failed',
  cacheCleared: {
    title: 'Cache Cleared',
    description: 'The site’s files are downloaded again. Saved audio and unsent changes are untouched.',
  },
} as const

/** Messages of System Info. */
export const systemTexts = {
  fetchFailed: 'Failed to fetch system info',
  loadFailed: 'Failed to load system information',
  cacheClearFailed: 'Cache Clear Failed',
  cacheCleared: {
    title: 'Cache Cleared',
    description: 'The site’s own files are fetched anew. Saved audio and waiting changes were left alone.',
  },
} as const

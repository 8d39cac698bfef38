/** SPEC §8, System Info. */
export const systemTexts = {
  fetchFailed: 'Failed to fetch system info',
  loadFailed: 'Failed to load system information',
  cacheClearFailed: 'Cache Clear Failed',
} as const

/** Messages of the teaching library. */
export const teachingTexts = {
  noMatch: 'No teaching found matching your search.',
  none: 'No teaching available.',
  audioComing: 'Audio file coming soon',
  cannotPlay: (kind: string) =>
    `This browser cannot play ${kind.toUpperCase()} recordings. Download it, and open it with another player.`,
  confirmDelete: 'Are you sure you want to delete this teaching? This action cannot be undone.',
  updated: 'Teaching updated successfully',
  deleted: 'Teaching Deleted',
  errorTitle: 'Error',
  updateFailed: 'Failed to update sermon',
  deleteFailed: 'Failed to delete teaching',
  fetchFailed: (statusText: string) => `Failed to fetch teaching: ${statusText}`,
  searchFailed: 'Search failed',
  synchronized: 'Cache Synchronized',
  syncFailed: 'Sync Failed',
  titleRequired: 'Title is required',
  speakerRequired: 'Speaker name is required',
  titleOrScriptureRequired: 'Either a title or scripture reference is required',
  dateInvalid: 'A valid date is required',
} as const

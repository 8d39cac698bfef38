import { church } from '../church.ts'

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
  libraryFull:
    'The titles and descriptions of all teachings, with those in the bin, are as long as they may be. Shorten some first.',
} as const

/** Messages of the bin of deleted teachings. */
export const binTexts = {
  empty: 'Nothing was deleted in the last 30 days',
  loadFailed: 'The deleted teachings could not be loaded',
  restored: 'Teaching Restored',
  restoreFailed: 'Restoring failed',
  undoLate:
    'Only the person who deleted it can bring it back, for 10 minutes. After that an administrator can, for 30 days.',
  gone: 'This teaching is not in the bin any more.',
  doubled: 'The library has this teaching again already, so the deleted one stays in the bin.',
} as const

/** Words of the pages of speakers and books. */
export const groupTexts = {
  speakers: {
    one: 'Speaker',
    all: 'Speakers',
    none: 'No teaching has a speaker yet.',
    missing:
      'There is no teaching by that speaker. It may have been removed, or the address may be mistyped.',
    about: (name: string) => `Teaching by ${name} at ${church().name}.`,
  },
  books: {
    one: 'Book',
    all: 'Books of the Bible',
    none: 'No teaching names a passage yet.',
    missing: 'There is no teaching on that book. It may have been removed, or the address may be mistyped.',
    about: (name: string) => `Teaching on ${name} at ${church().name}.`,
  },
} as const

import { pageLimits as limits } from './written-pages.limits.ts'

/** Messages about pages that administrators write. */
export const pageTexts = {
  titleRequired: 'Enter a title.',
  slugInvalid:
    'An address is written in small letters and digits with hyphens between them, such as small-groups.',
  reserved: (slug: string) => `The address /${slug} belongs to the site itself. Choose another one.`,
  taken: (slug: string) => `There is another page at /${slug} already. Choose another address.`,
  onlyParts:
    'The Home and About pages keep their address and their place in the navigation. Change their parts.',
  noParts: 'Only the Home and About pages have parts. Change the text of this page.',
  fixed: 'The Home and About pages cannot be deleted.',
  tooMany: `There are ${limits.all} pages already. Delete old ones first.`,
  gone: 'This page was already deleted.',
  notInBin: 'This page is not in the bin any more.',
  changed: 'This page was changed by someone else since you opened it.',
  noPicture:
    'The Home and About pages have no picture of their own. The one at the top of Home is under Site, Pictures.',
  pictureSaved: 'Picture Saved',
  pictureRemoved: 'Picture Removed',
  created: 'Page Created',
  updated: 'Page Updated',
  deleted: 'Page Deleted',
  restored: 'Page Restored',
  saveFailed: 'Failed to save the page',
  deleteFailed: 'Failed to delete the page',
  restoreFailed: 'Failed to restore the page',
  loadFailed: 'The pages could not be loaded',
  binEmpty: 'No deleted pages.',
  confirmDelete: (title: string) =>
    `Are you sure you want to delete the page ${title}? It can be restored for 30 days.`,
} as const

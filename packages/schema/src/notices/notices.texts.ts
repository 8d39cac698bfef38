import { noticeLimits as limits } from './notices.limits.ts'

/** Messages about notices. */
export const noticeTexts = {
  textRequired: 'Enter the text of the notice.',
  notDate: 'From and until are dates as 2026-03-15.',
  untilFirst: 'A notice is shown until its last day, which is not before its first. Enter a later date.',
  tooMany: `There are ${limits.all} notices already. Delete old ones first.`,
  gone: 'This notice was already deleted.',
  notInBin: 'This notice is not in the bin any more.',
  restored: 'Notice Restored',
  restoreFailed: 'Failed to restore the notice',
  binEmpty: 'No deleted notices.',
  changed: 'This notice was changed by someone else since you opened it.',
  created: 'Notice Created',
  updated: 'Notice Updated',
  deleted: 'Notice Deleted',
  saveFailed: 'Failed to save the notice',
  deleteFailed: 'Failed to delete the notice',
  loadFailed: 'The notices could not be loaded',
  confirmDelete: 'Are you sure you want to delete this notice? It can be restored for 30 days.',
} as const

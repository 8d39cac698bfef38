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

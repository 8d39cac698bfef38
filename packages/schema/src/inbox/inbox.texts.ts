/** Messages of the Inbox: why a recording was not published automatically, and how to fix it. */
export const inboxTexts = {
  published: 'The recording is in the library.',
  deleted: 'The recording was deleted.',
  gone: 'This recording is no longer in the Inbox.',
  busy: 'This recording is being published. Check again in a moment.',
  confirmDelete: 'Are you sure you want to delete this recording? This action cannot be undone.',
  empty: 'Nothing to check.',
  emptyHint: 'Recordings that need checking appear in this list.',
  loadFailed: 'Failed to load the Inbox',
  publishFailed: 'Failed to publish the recording',
  deleteFailed: 'Failed to delete the recording',
  cutOff: 'The recording ends abruptly: the transfer may have been interrupted.',
  publishPresent: 'Publish what is there',
  publishAnyway: 'Publish anyway',

  neverFinished: (percent: number | undefined) =>
    percent === undefined
      ? 'The rest of this file never arrived.'
      : `Only ${percent} % of this file arrived; the rest is missing.`,
  fix: {
    name: 'Correct the fields and publish.',
    duplicate: 'Correct the fields and publish, or discard.',
    audio: 'Export the recording again as MP3 and send it again.',
    sound: 'Publish it anyway, send another file, or discard it.',
    cutOff: 'Send the file again, publish what is there, or discard it.',
    again: 'Try again in a moment.',
  },
} as const

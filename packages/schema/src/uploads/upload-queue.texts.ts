/** What the upload queue says about a recording that waits on this device. */
export const uploadQueueTexts = {
  empty: 'The file is empty.',
  interrupted: 'Saving to this device was interrupted. Choose the file again.',
  deviceFull: 'This device has no room for the file. Make some and choose it again.',
  unreadable: 'The file could not be read to its end. Choose it again.',
  evicted: 'This device has lost part of the file. Choose it again.',
} as const

/** What the upload queue says about a recording that waits on this device. */
export const uploadQueueTexts = {
  empty: 'The file is empty.',
  interrupted: 'Saving to this device was interrupted. Choose the file again.',
  deviceFull: 'This device has no room for the file. Make some and choose it again.',
  unreadable: 'The file could not be read to its end. Choose it again.',
  waiting: 'Waiting for its turn',
  waitingForLine: 'Waiting for the line',
  paused: 'Paused',
  checking: 'Checking…',
  done: 'In the library',
  replaced: 'The recording is replaced',
  duplicate: 'The library has this teaching already.',
  signIn: 'Sign in to send it',
  attention: 'Needs you',
  saving: 'Saving to this device…',
  mayClose: 'You can close this page. It is sent whenever the app is open.',
  evicted: 'This device has lost part of the file. Choose it again.',
} as const

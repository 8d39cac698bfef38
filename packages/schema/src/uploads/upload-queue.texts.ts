import type { Notice } from '../notice.ts'

/** Messages of the upload queue. */
export const uploadQueueTexts = {
  empty: 'The file is empty.',
  interrupted: 'Saving to this device was interrupted. Choose the file again.',
  deviceFull: 'Your device is too full for this file. Free some space and choose it again.',
  unreadable: 'The file could not be read to its end. Choose it again.',
  waiting: 'Waiting for its turn',
  waitingForConnection: 'Waiting for a connection',
  waitingForServer: 'Waiting for the server',
  paused: 'Paused',
  checking: 'Checking…',
  done: 'In the library',
  replaced: 'The recording is replaced',
  textRefused: (done: string, sentence: string) => `${done}, but its text was not saved: ${sentence}`,
  handoutRefused: (name: string, sentence: string) => `Its handout ${name} was not saved: ${sentence}`,
  handoutLost: 'This device has lost it. Add it to the teaching.',
  duplicate: 'The library has this teaching already.',
  signIn: 'Sign in to send it',
  shared: 'Shared from another app. Check the details, then send it.',
  attention: 'Needs your attention',
  saving: 'Saving to this device…',
  mayClose: 'You can close this page. Uploading continues whenever the app is open.',
  keepOpenToSave: 'Keep this page open until everything is saved.',
  keepOpen: 'This browser blocks storage for this site. Keep this page open until everything is sent.',
  notKept: 'This browser blocks storage for this site. Choose the file on this page, and it is sent at once.',
  tooManyShared:
    'Too many recordings from other apps wait on this device. Send or cancel some, then share the rest again.',
  tooLate: {
    title: 'Too late to correct here',
    description: 'The recording is entering the library with the details it had. Correct them there.',
  },
  notCorrected: (message: string): Notice => ({ title: 'Not saved', description: message }),
  damagedEachTime:
    'The file arrived damaged three times. Try again with another connection, or choose the file again.',
  goneEachTime:
    'The server lost the file three times. Try again later; if it happens again, tell an administrator.',
  evicted: 'This device has lost part of the file. Choose it again.',
  otherFile: (chosen: string, lost: string) =>
    `${chosen} is another file than ${lost}. Choose that one, or send this one in its place.`,
  sendOther: 'Send this one',
  /** @param present its length, such as '0:36' */
  publishPresent: (present: string | undefined) =>
    `Publish what is there${present === undefined ? '' : ` (${present})`}`,
  publishAnyway: 'Publish anyway',
  decideInPanel: (sentence: string) => `${sentence} It waits under Upload Teaching on the Teaching page.`,
  chooseAgain: 'Choose the file again',
  chooseOther: 'Choose another file',
  show: 'Show it in the library',
  remove: 'Remove',
  discard: 'Discard',
} as const

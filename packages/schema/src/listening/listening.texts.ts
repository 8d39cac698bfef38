import { counted } from '../counted.ts'

/** Messages about Up next. */
export const upNextTexts = {
  playNext: 'Plays next',
  addToEnd: 'Added to Up next',
  isThere: 'Already in Up next',
  full: { title: 'Up next is full', description: 'It holds 500 teachings. Remove some, then add more.' },
  notKept: {
    title: 'Up next was not changed',
    description: 'This device could not write it down. Free some storage, or reload the page, and try again.',
  },
  emptied: 'Up next was emptied',
  removed: (title: string) => `Removed from Up next: ${title}`,
  empty: 'Your queue is empty.',
  howToAdd: 'Tap ⋯ beside a teaching, then “Add to Up next”.',
  skipped: (count: number) => `${count} skipped: not saved on this device`,
  cannotPlay: (title: string) => `Skipped, as it cannot be played: ${title}`,
  waits: (count: number) => `Up next waits: ${counted(count, 'teaching')} not saved on this device`,
  noneSaved: {
    title: 'Nothing of it is saved on this device',
    description: 'You are offline. Save it here when you are back online.',
  },
  leftOut: (count: number) => ({
    title: 'Up next is full',
    description: `It holds 500 teachings: ${count} of these had no room.`,
  }),
  moved: (title: string, place: number, of: number) => `${title} is now number ${place} of ${of}.`,
}

/** Messages about notes, marks, and My listening. */
export const listeningTexts = {
  noteEmpty: 'Write something, or press Cancel.',
  noteTooLong: 'A note has at most 2,000 characters. Shorten it.',
  badOrder: 'Invalid position in Up next. Reload the page and move the teaching again.',
  isOff: 'Your account does not keep your listening. Turn it on in My listening first.',
  cannotBeKept: 'It is not in a form that the server keeps.',
  full: 'Your account holds as much of your listening as it can: 20,000 entries. What is new stays on this device.',
  fullOfBytes:
    'Your account holds as much of your listening as it can: 16 MB. Delete or shorten long notes; what is new stays on this device.',
  serverFull:
    'The server holds as much listening as it can. What is new stays on this device. Please tell an administrator.',
  noteRemoved: 'Note removed',
  notKept: {
    title: 'Not kept',
    description: 'This device could not write it down. Free some storage, or reload the page, and try again.',
  },
  fileTooLarge: 'This file is larger than 20 MB. Choose one that Export has made here.',
  otherFile: 'This is no file of My listening. Choose one that Export has made here.',
  newerFile: 'This file is of a newer version of this site. Reload the page, then import it again.',
  damagedFile: 'This file is damaged, and nothing of it was imported. Export it again where it comes from.',
  imported: (count: number) =>
    count === 0 ? 'Everything in this file is on this device already.' : `Imported: ${count} new or changed.`,
  deleteTitle: 'Delete all of it from this device?',
  deleteQuestion:
    'Places, heard marks, favourites, notes and Up next are deleted. Saved recordings stay. This cannot be undone: export a file first if you may want it back.',
  anonymousToo: (count: number) =>
    count === 1
      ? 'The entry of this device that belongs to no account is deleted too.'
      : `The ${count} entries of this device that belong to no account are deleted too.`,
  deleted: 'Your listening is deleted from this device',
  turnedOn: 'Your listening is kept with your account now',
  turnedOff: (held: number) =>
    held === 0 ? 'Your listening is on this device alone now' : 'Changes stay on this device from now on',
  notTurned: 'This could not be changed',
  added: 'Added to yours',
  switchLabel: 'Keep my listening on all my devices',
  whatIsKept:
    'Your places, heard marks, favourites, notes and Up next are then stored with your account on the server of this site, and in its backups. Nobody sees them on this site but you; whoever runs the server could read them there.',
  withAccount:
    'This is kept with your account, on every device where you sign in. Whoever uses this device while you are signed in can see it.',
  ofOthers:
    'What was listened to while somebody was signed in is stored here too, and shown when they sign in.',
  signInToKeep: 'Sign in to keep it on all your devices.',
  waiting: (count: number) => `${counted(count, 'change')} ${count === 1 ? 'is' : 'are'} waiting to be sent`,
  refused: (count: number, sentence: string) =>
    `${count === 1 ? 'One entry stays' : `${count} entries stay`} on this device alone: ${sentence}`,
  off: 'Off: no listening is sent to your account.',
  stillHeld: (count: number) =>
    `The server still holds ${count === 1 ? 'one entry' : `${count} entries`} of yours, and gives them to no device.`,
  anonymous:
    'This device also holds listening that belongs to no account. It is not shown now, and not sent anywhere. Is it yours?',
  anonymousKinds: {
    position: (count: number) => counted(count, 'place'),
    marks: (count: number) => counted(count, 'marked teaching'),
    note: (count: number) => counted(count, 'note'),
    upNext: (count: number) => `${counted(count, 'teaching')} in Up next`,
  },
  anonymousEntry: { position: 'Place', marks: 'Mark', note: 'Note', upNext: 'Up next' },
  goneTeaching: 'a teaching that has left the library',
  andMore: (count: number) => `and ${count} more`,
  offTitle: 'Keep it on this device alone?',
  offQuestion:
    'Your devices keep what they have, and stop syncing. What the server holds can be deleted there, or wait until you turn it on again.',
  deleteFirst:
    'It is kept with your account too. To delete it, turn off “Keep my listening on all my devices” first.',
  signOutTitle: 'Does your listening stay on this device?',
  signOutQuestion:
    'It is kept with your account. If it stays on this device too, it is here as soon as you sign in again. Until then it is not shown.',
  wouldBeLost: (count: number) =>
    `${counted(count, 'change')} could not be sent. Let it stay here, or press again to remove it and lose ${count === 1 ? 'that' : 'them'}.`,
  sinceTurnedOff:
    'Changes are kept on this device alone since you turned it off. When you sign out, all of it stays here, and is shown again when you sign in.',
  noteOnDevice: 'Notes stay on this device.',
  newNoteOnDevice: 'New notes and changes stay on this device.',
  noteWithAccount: 'Notes are kept with your account.',
  noteBeside: {
    title: 'Both notes are kept',
    description: 'This note was changed or removed meanwhile. Your words are a note of their own now.',
  },
  onDevice: 'This is kept on this device alone. Whoever uses this device can see it.',
  ofUser:
    'This is kept on this device alone. When you sign out, it stays here, and is shown again when you sign in.',
}

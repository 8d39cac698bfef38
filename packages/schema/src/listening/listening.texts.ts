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
  empty: 'Nothing is up next.',
  howToAdd:
    'Choose “Add to Up next” under More beside a teaching. One plays after the other, without a connection too where they are saved.',
  skipped: (count: number) => `${count} skipped: not saved on this device`,
  cannotPlay: (title: string) => `Skipped, as it cannot be played: ${title}`,
  waits: (count: number) => `Up next waits: ${counted(count, 'teaching')} not saved on this device`,
  moved: (title: string, place: number, of: number) => `${title} is now number ${place} of ${of}.`,
}

/** Messages about notes, marks, and My listening. */
export const listeningTexts = {
  noteEmpty: 'Write something, or press Cancel.',
  noteTooLong: 'A note has at most 2,000 characters. Shorten it.',
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
  deleted: 'Your listening is deleted from this device',
  onDevice:
    'This is kept on this device alone, and stays here when you sign out. Whoever uses this device can see it.',
}

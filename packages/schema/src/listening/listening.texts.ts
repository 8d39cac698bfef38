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
  waits: (count: number) => `Up next waits: ${counted(count, 'teaching')} not saved on this device`,
  moved: (title: string, place: number, of: number) => `${title} is now number ${place} of ${of}.`,
}

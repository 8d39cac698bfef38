import { church } from '../church.ts'

/** Words of the pages of speakers and books. */
export const groupTexts = {
  speakers: {
    one: 'Speaker',
    all: 'Speakers',
    none: 'No teaching has a speaker yet.',
    missing:
      'There is no teaching by that speaker. It may have been removed, or the address may be mistyped.',
    about: (name: string) => `Teaching by ${name} at ${church.name}.`,
    listed: `Everyone who teaches at ${church.name}.`,
  },
  books: {
    one: 'Book',
    all: 'Books of the Bible',
    none: 'No teaching names a passage yet.',
    missing: 'There is no teaching on that book. It may have been removed, or the address may be mistyped.',
    about: (name: string) => `Teaching on ${name} at ${church.name}.`,
    listed: `Every book of the Bible with teaching at ${church.name}.`,
  },
} as const

import type { Teaching } from './teachings.schema.ts'

/** A teaching that a device shows from a recording saved on it, because its library has no row of that teaching. */
export type SavedTeaching = Omit<Teaching, 'id' | 'rev'>

/** A teaching in a list, which may end with saved teachings that have left the library. */
export type ListedTeaching = Teaching | SavedTeaching

/** Only a teaching of the library can be edited or added to a series. */
export const isInLibrary = (teaching: ListedTeaching): teaching is Teaching => 'id' in teaching

import { maxUploadMegabytes } from '../uploads/uploads.limits.ts'
import { importLimits as limits } from './imports.limits.ts'

const megabyte = 1024 * 1024

/** Messages of moving in. */
export const importTexts = {
  sourceInvalid:
    'Enter the address of a podcast feed or an export, beginning with https:// or http://. Files of the server are moved in by npm run import -- FILE.',
  chooseFile: 'Choose a file: a feed, an export, a table or a ZIP archive.',
  archiveTooLarge: `A folder or ZIP archive of more than ${limits.archiveBytes / megabyte}MB is moved in on the server: npm run import -- FOLDER.`,
  documentTooLarge: `A feed, an export or a table has at most ${limits.documentBytes / megabyte}MB.`,
  emptyFolder: 'There is no recording and no table in this folder.',
  busy: 'Another import is on its way. Wait until it is done, or undo it first.',
  gone: 'There is no such import.',
  notReady: 'This import can be confirmed once its source has been read.',
  notRunning: 'This import is not running.',
  undoLate: `An import can be undone within ${limits.undoDays} days.`,
  alreadyUndone: 'This import was undone already.',
  stillReading: 'This import is still reading its source. Try again in a moment.',
  empty: 'There is nothing to move in: the source has no items.',
  tooMany: `The source has more than ${limits.items} items, which is more than one import takes.`,
  notRead: 'This is neither a podcast feed nor an export that can be read.',
  webPage: 'This address leads to a web page. Enter the address of the podcast feed or of the export file.',
  brokenXml: (why: string) => `The file is no valid XML (${why}). Export it again.`,
  entities: 'The file declares entities of its own, which are not read. Export it again.',
  readFailed: 'The source could not be read. The log of the server has the details.',
  brokenOff: 'The work on it was broken off too often.',
  diskFull: 'The disk of the server is full. Free space, then continue.',
  csvQuotes: 'A quotation mark of the table is not closed. Export it again as CSV.',
  withoutText: (fault: string) => `It moved in without its text. ${fault}`,
  withoutHandout: (name: string, fault: string) => `It moved in without its handout ${name}. ${fault}`,
  notInTime: 'It could not be read in time.',
  unreadableFile: 'It could not be read.',
  noFile: (name: string) => `There is no file ${name}.`,
  noAudio: 'It names no recording.',
  noDate: 'It has no date that can be read.',
  noSpeaker: 'It names no speaker. Enter one for all that name none.',
  twice: 'It is in the source twice.',
  inLibrary: 'It is in the library.',
  sameAs: (name: string) => `It is in the library: ${name}.`,
  deletedHere: 'It was moved in before, and deleted here.',
  changed: (fields: readonly string[]) =>
    `Changed at the source: ${fields.join(', ')}. The teaching here stays as it is.`,
  tooLarge: `Its recording is larger than ${maxUploadMegabytes}MB.`,
  unchecked: 'Its recording was not asked for yet.',
  answered: (status: number) => `The address of its recording answers ${status}.`,
  isPage: 'The address of its recording leads to a web page.',
  cutOff: 'Its end is missing, as at its old address.',
  started: 'Reading the source',
  confirmed: 'The import has begun',
  paused: 'The import is paused',
  undone: 'The import was undone',
  followEnded: 'The source is not read again',
  loadFailed: 'The imports could not be loaded',
  failed: 'The import could not be changed',
} as const

/** Refusals of an address that a source names. */
export const guestTexts = {
  scheme: 'Only addresses that begin with http:// or https:// are fetched.',
  privateAddress: (host: string) =>
    `${host} is in a private network, which is not fetched. To allow it, name it in IMPORT_PRIVATE_HOSTS.`,
  redirects: 'It redirects more than five times.',
  notFound: (host: string) => `There is no server named ${host}.`,
  silent: (host: string) => `${host} did not answer in time.`,
  refused: (host: string) => `${host} cannot be reached.`,
  status: (status: number) => `The address answers ${status}.`,
  tooLarge: (megabytes: number) => `It is larger than ${megabytes}MB.`,
  wait: 'The server asks to wait for longer than ten minutes. Try again later.',
  brokenOff: 'The transfer was broken off repeatedly.',
} as const

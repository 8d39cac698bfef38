import { formatDate } from '../dates.ts'
import type { Notice } from '../notice.ts'
import { problems } from '../problem.ts'
import { teachingTexts } from '../teachings/teachings.texts.ts'
import { maxUploadMegabytes } from './uploads.limits.ts'

const invalidFileType: Notice = { title: 'Invalid File Type', description: 'Please select an audio file' }
const isCutOff = (present: string, whole: string) =>
  `This recording is cut off: ${present} of ${whole} are there.`
const captionsAlone =
  'The text of a recording goes with it. Choose the recording first, or press Edit on its row in the library.'
const failed = (message: string): Notice => ({ title: 'Upload Failed', description: message })

/** Messages of uploading. */
export const uploadTexts = {
  tooManyForms: 'You are sending eight recordings already. Wait until one of them has arrived.',
  tooManyBegun: 'You began very many uploads within an hour. Try again later.',
  parsed: 'Filename Parsed Successfully',
  parsingIssues: 'Parsing Issues Found',
  uploaded: 'File upload successful',

  noFile: { title: 'No File Selected', description: 'Please select an audio file to upload' },
  noData: {
    title: 'No Data Available',
    description: 'Please fill in the speaker, the date and a title or scripture reference',
  },
  missingSpeaker: { title: 'Missing Speaker', description: teachingTexts.speakerRequired },
  missingTitleOrScripture: {
    title: 'Missing Title or Scripture',
    description: teachingTexts.titleOrScriptureRequired,
  },
  missingDate: { title: 'Missing Date', description: teachingTexts.dateInvalid },
  dateAhead: {
    title: 'Date Ahead',
    question: (dates: readonly string[]) =>
      dates.length === 1
        ? `This date is more than a day ahead: ${dates.map(formatDate).join()}. Publish anyway?`
        : `These dates are more than a day ahead: ${inWords(dates.map(formatDate))}. Publish anyway?`,
  },
  /** Below a scripture that cannot be read. */
  unreadScripture: 'Not read as a Bible reference: it will be shown as typed, but not found under Books.',
  invalidFileType,
  /** The same for one of several. */
  invalidFileTypeOf: (name: string): Notice => ({
    title: invalidFileType.title,
    description: `${invalidFileType.description}. ${name} is not one.`,
  }),
  /** A file that is too large, as one of several. */
  tooLargeOf: (name: string): Notice =>
    failed(`${name} is larger than ${maxUploadMegabytes}MB. Export it as MP3 and try again.`),
  /** Why a file is left out, beside its name. */
  notAudio: 'This is not an audio file.',
  tooLarge: problems.too_large.sentence,
  /** A file with the text of a recording. */
  captionsAlone,
  captionsOfWhich:
    'It is not clear which recording this text belongs to. Open its recording below, and choose the file as its text.',
  chooseFirst: { title: 'Choose the Recording First', description: captionsAlone },
  captionsAdded: (name: string, recording: string): Notice => ({
    title: 'Text Added',
    description: `${name} will be sent with ${recording}.`,
  }),
  /** Several of the chosen files; each then stays in the list, with the reason. */
  leftOut: (names: readonly string[]): Notice => ({
    title: 'Some Files Were Left Out',
    description: `${names.length > 3 ? `${names.length} files` : inWords(names)} cannot be uploaded. The list in the panel says why.`,
  }),

  /** A WAV that is over the limit, of which the device can make a file below it. */
  smallerFirst: (name: string): Notice => ({
    title: 'Too Large to Send',
    description: `${name} is larger than ${maxUploadMegabytes} MB. Make it smaller first: that is offered below its name.`,
  }),
  notMadeSmaller: (name: string): Notice => ({
    title: 'Not Made Smaller',
    description: `No smaller file could be made of ${name} on this device. The file itself is as it was.`,
  }),

  /** A recording whose end is missing, by its own structure. */
  cutOff: (present: string, whole: string) =>
    `${isCutOff(present, whole)} Publish what is there, send the whole file again, or discard it.`,
  isCutOff,
  /** A recording that is asked about, with a sentence for each reason. */
  soundsWrong: (sentences: readonly string[]) =>
    `${sentences.join(' ')} Publish it anyway, send another file, or discard it.`,
  /** The length that its header declares, and the one that is there. */
  hiddenSound: (declared: string, present: string) =>
    `Its header says ${declared}, but ${present} of sound are there: all of it will play.`,
  duplicate: {
    title: 'Duplicate Teaching',
    description: 'This teaching file has already been uploaded. Please check the teaching list.',
  },
  /** The recording is in the library, but its file there was damaged or missing. */
  mended: `${problems.duplicate.sentence}. Its file in the library was damaged: this one has replaced it, and nothing more is needed.`,
  /** Part of every message about a duplicate. */
  duplicateMark: problems.duplicate.sentence,
  /** @param same whether it is the very same recording, byte by byte */
  duplicateOf: (teaching: string, { same }: { same: boolean }): string =>
    same
      ? `${problems.duplicate.sentence}. The same recording is in the library already: ${teaching}`
      : `${problems.duplicate.sentence}: ${teaching}`,
  failed,
  completedUnseen: {
    title: 'Upload Completed',
    description: 'Please refresh the page to see the teaching in the list.',
  },
  timeout: {
    title: 'Upload Timeout',
    description:
      'The upload is taking longer than expected. Please check the teaching list to see if it was added.',
  },
  duplicateFound: (message: string): Notice => ({
    title: 'Duplicate Teaching Detected',
    description: message,
  }),
  parsingIssuesFound: {
    title: 'Parsing Issues Detected',
    description: 'Please review and correct the fields below before uploading',
  },
  duplicateCheckFailed: {
    title: 'Duplicate Check Failed',
    description: 'Please review the fields below and upload manually',
  },
  parsingFailed: { title: 'Parsing Failed', description: 'Please enter the sermon details manually' },
  /** The one error of the empty record that follows a failed parse. */
  parseFailed: 'Failed to parse filename',
} as const satisfies Record<
  string,
  | string
  | Notice
  | ((message: string) => Notice)
  | ((names: readonly string[]) => Notice | string)
  | ((teaching: string, options: { same: boolean }) => string)
  | { title: string; question: (dates: readonly string[]) => string }
  | ((present: string, whole: string) => string | Notice)
>

/** 'a, b and c' */
const inWords = (names: readonly string[]) =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')

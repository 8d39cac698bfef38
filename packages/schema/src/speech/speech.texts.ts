import { speechLimits } from './speech.limits.ts'

/** Messages about machine drafts of transcripts. */
export const speechTexts = {
  off: 'Drafts of what is said need a machine of yours: set SPEECH_URL, SPEECH_COMMAND or SPEECH_FOLDER on the server.',
  loadFailed: 'The machine drafts could not be loaded',
  changeFailed: 'The machine drafts could not be changed',
  tooManyWords: `This list is longer than ${speechLimits.words.toLocaleString('en')} characters. Keep the words that are misheard most.`,
  saved: 'List saved',
  words: 'Names and words',
  wordsHint:
    'One on each line. "heard = right" replaces what is often misheard. The editor of texts offers them too.',
  neverPublished: 'A draft is published only after someone has corrected and approved it.',
  tooLong: 'The recording is longer than four hours. Split it, or write its text by hand.',
  noSpeech: 'No speech was heard in it.',
  otherLanguage: (heard: string, expected: string) =>
    `It was heard as ${heard}, though the language of this site is ${expected}. Nothing was saved.`,
  brokenOff: 'The work on it was broken off too often.',
  fileMissing: 'Its file is missing or damaged.',
  /** @param minutes of the latest drafts, null before the first one */
  cost: (minutes: number | null) =>
    minutes === null
      ? 'How long a draft takes is known after the first one.'
      : `A draft takes about ${minutes < 1.5 ? 'a minute' : `${Math.round(minutes)} minutes`} for each teaching on this machine.`,
  progress: ({ done, waiting, paused }: { done: number; waiting: number; paused: boolean }) =>
    `${done} made, ${waiting} waiting.${paused ? ' They are paused.' : ''}`,
} as const

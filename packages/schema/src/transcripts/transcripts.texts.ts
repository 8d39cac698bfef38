import { transcriptLimits as limits } from './transcripts.limits.ts'

/** Messages about transcripts. */
export const transcriptTexts = {
  endsFirst: 'A sentence ends before it begins. Correct its times.',
  outOfOrder:
    'A sentence begins before the one ahead of it. Put the sentences into the order of their times.',
  empty: 'There is no sentence in this text. Choose another file.',
  tooLong: `This text has more than ${limits.all.toLocaleString('en')} characters. Split the recording and its text.`,
  tooMany: `This text has more than ${limits.sentences.toLocaleString('en')} sentences. Split the recording and its text.`,
  notText: 'This file is no text. Choose a VTT, SRT, SBV or TXT file.',
  isPage: 'This file is a web page, not the text of a recording. Choose a VTT, SRT, SBV or TXT file.',
  badTime: (line: number, shown: string) =>
    `Line ${line} has no times that can be read: “${shown}”. Write them as 00:01:02.000 --> 00:01:05.000.`,
  badMark: (line: number, shown: string) =>
    `Line ${line} has no time that can be read: “${shown}”. Write it as [12:34].`,
  backwards: (line: number) => `In line ${line} a sentence ends before it begins. Correct its times.`,
  markBefore: (line: number, shown: string) =>
    `In line ${line} the time “${shown}” is before the one ahead of it. Correct the times.`,
  gone: 'This teaching was already deleted.',
  none: 'There is no text of this teaching.',
  noDraft: 'There is no draft of a text of this teaching. Save one first.',
  waitForApproval: 'Nobody reads them before they are approved.',
  draftBy: ({ source, savedBy }: { source: string; savedBy: string }) =>
    source === 'machine' ? 'written down by a machine' : `saved by ${savedBy}`,
  moreDrafts: (count: number) => `And ${count} more, of older teachings.`,
  saved: 'The draft is saved. Nobody reads it before it is approved.',
  approved: 'The text is approved. Everyone can read it now.',
  discarded: 'The draft was discarded. It can be restored for 30 days.',
  keptHere: 'No connection. Your changes are kept on this device and saved when there is one.',
  savedTitle: 'Text saved',
  waitsTitle: 'Text kept on this device',
  notSent: 'A text was not saved',
  notKept: 'No connection, and no room on this device. Choose the text again when you are online.',
  loadFailed: 'The text could not be loaded. Your changes on this device stay here.',
  bothChanged: 'Someone else changed the same sentences. Choose whose words to keep.',
  replaced: (count: number) => (count === 0 ? 'Not found.' : `Replaced ${count} times.`),
  restored: 'The earlier version is the draft again. Nobody reads it before it is approved.',
  earlierFailed: 'The earlier versions could not be loaded.',
  noEarlier: 'There is no earlier version. Replaced and removed texts stay here for 30 days.',
  restoreQuestion: (of: { moment: string; by: string; isDraft: boolean; isChanged: boolean }) =>
    [
      `Make the version of ${of.moment} by ${of.by} the draft again?`,
      of.isDraft ? 'The present draft becomes an earlier version.' : '',
      of.isChanged ? 'Your changes that are not saved are lost.' : '',
    ]
      .filter(Boolean)
      .join(' '),
  notInBin: 'This text is not in the bin any more.',
  changed: 'This text was changed by someone else since you opened it.',
  tooLarge: `The text of a recording may have at most ${limits.fileBytes / 1024 / 1024} MB.`,
  fix: 'Correct the file and send it again under the same name.',
  noFile: 'Choose a file with the text of the recording: VTT, SRT, SBV or TXT.',
  mediaType:
    'Send the text as text/vtt, application/x-subrip or text/plain, or as the part “transcript” of a form.',
  untimed: (line: number, shown: string) => `Line ${line} has no time ahead of it: “${shown}”.`,
} as const

import { counted } from '../counted.ts'

/** Messages about outbox entries and queued recordings. */
export const outboxTexts = {
  savedHere: 'Saved on this device, will be sent',
  savedInMemory: 'Not sent yet. Keep this page open until it is',
  nothingStored: {
    title: 'This browser blocks storage for this site.',
    description: 'Keep this page open until everything is sent.',
  },
  waiting: (count: number, isOffline: boolean) =>
    `${counted(count, 'change')} on this device, will be sent when ${isOffline ? 'you’re back online' : 'the server answers again'}`,
  stillWaiting: (count: number) => `${counted(count, 'change')} ${count === 1 ? 'is' : 'are'} still waiting`,
  signIn: (count: number) => `Sign in to send ${counted(count, 'change')}`,
  signInToUpload: (count: number) =>
    `Sign in to send ${count === 1 ? 'the recording that waits' : `the ${count} recordings that wait`} here`,
  attention: (count: number) => `Needs your attention (${count})`,
  conflict: 'Someone else changed this teaching at the same time. Choose what it should say.',
  deleteConflict: 'Someone else changed this teaching since you saw it. Should it still be deleted?',
  gone: 'This teaching is not in the library any more. Your change cannot be saved.',
  refused: (sentence: string) => `The server did not take it: ${sentence}`,
} as const

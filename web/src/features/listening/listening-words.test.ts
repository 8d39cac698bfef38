import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import { describe, expect, test } from 'vitest'
import { listeningSyncWords, whereKept, whereNotesAreKept } from './listening-words.ts'

type Account = NonNullable<ListeningStatus['account']>
const account: Account = { on: true, held: 2, attempts: 0, syncedAt: 1_000 } as Account
const status = (given: Partial<ListeningStatus>): ListeningStatus =>
  ({ owner: 7, hasOthers: false, unsent: 0, ...given }) as ListeningStatus
const off = { ...account, on: false } as Account

describe('the place of listening and of its notes', () => {
  test.each([
    ['nobody', { owner: 0 }, texts.onDevice, texts.noteOnDevice],
    [
      'nobody, beside other people',
      { owner: 0, hasOthers: true },
      `${texts.onDevice} ${texts.ofOthers}`,
      texts.noteOnDevice,
    ],
    ['nobody, whatever an account says', { owner: 0, account }, texts.onDevice, texts.noteOnDevice],
    ['a person without an answer', {}, texts.ofUser, texts.noteOnDevice],
    ['an account that keeps it', { account }, texts.withAccount, texts.noteWithAccount],
    ['an account that still holds some', { account: off }, texts.sinceTurnedOff, texts.newNoteOnDevice],
    ['an empty account', { account: { ...off, held: 0 } }, texts.ofUser, texts.noteOnDevice],
  ])('is true for %s', (_, given, place, notes) => {
    expect(whereKept(status(given))).toBe(place)
    expect(whereNotesAreKept(status(given))).toBe(notes)
  })
})

describe('the freshness of listening', () => {
  const failed = (code: string) => ({ ...account, attempts: 1, lastError: { code, sentence: 'It is busy.' } })
  test.each([
    ['is fresh', { account }, 'Up to date, just now.'],
    ['was never synced', { account: { ...account, syncedAt: undefined } as never }, 'Updating…'],
    ['has no answer yet', {}, 'Updating…'],
    ['waits', { account, unsent: 2 }, `${texts.waiting(2)}.`],
    ['found no network', { account: failed('network') }, 'Offline.'],
    [
      'waits and found no network',
      { account: failed('network'), unsent: 1 },
      `Offline. ${texts.waiting(1)}.`,
    ],
    ['was refused', { account: failed('unavailable') }, 'Could not update: It is busy.'],
    [
      'waits and was refused',
      { account: failed('unavailable'), unsent: 1 },
      `Could not update: It is busy. ${texts.waiting(1)}.`,
    ],
    ['failed before', { account: { ...failed('network'), attempts: 0 } }, 'Up to date, just now.'],
  ])('is told for listening that %s', (_, given, words) => {
    expect(listeningSyncWords(status(given), { isOnline: true, now: 2_000 })).toBe(words)
  })

  test('is offline without a connection', () => {
    const offline = { isOnline: false, now: 2_000 }
    expect(listeningSyncWords(status({ account }), offline)).toBe('Offline.')
    expect(listeningSyncWords(status({ account, unsent: 1 }), offline)).toBe(`Offline. ${texts.waiting(1)}.`)
  })
})

import { expect, test } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { chosenRecording, recordingSizes } from './recording-choice.ts'
import type { SavedShelf } from './saved/device-state.list.ts'

const copyUrl = `/audio/${'c0'.repeat(32)}.mp3`
const original = aTeaching()
const both = aTeaching({ copyUrl, copyBytes: 5_000_000, copyMime: 'audio/mpeg', loudness: -20 })

const shelf = (...saved: [string, SavedRecording['state']][]): SavedShelf => ({
  status: 'known',
  newest: 0,
  byKey: new Map(
    saved.map(([url, state]) => {
      const key = audioKeyOf(url)!
      const words = { title: '', speaker: '', date: '2026-11-22', teachingUid: both.uid }
      return [key, { ...words, key, url, size: 1, type: 'audio/mpeg', bytes: 1, state, savedAt: 1 }]
    }),
  ),
})
const chosen = (teaching: typeof both, from: SavedShelf, small: boolean) =>
  chosenRecording(teaching, from, small).audioUrl

test('a teaching without a small copy has one recording', () => {
  expect(chosen(original, shelf(), true)).toBe(original.audioUrl)
})

test("returns the chosen recording's address, size and type", () => {
  expect(chosen(both, shelf(), false)).toBe(both.audioUrl)
  expect(chosenRecording({ ...both, audioMime: 'audio/wav' }, shelf(), true)).toMatchObject({
    audioUrl: copyUrl,
    audioBytes: 5_000_000,
    audioMime: 'audio/mpeg',
  })
})

test.each([true, false])('plays the saved recording despite the preference (small: %s)', (small) => {
  expect(chosen(both, shelf([both.audioUrl!, 'ready']), small)).toBe(both.audioUrl)
  expect(chosen(both, shelf([copyUrl, 'ready']), small)).toBe(copyUrl)
  expect(chosen(both, shelf([both.audioUrl!, 'waiting'], [copyUrl, 'ready']), small)).toBe(copyUrl)
  expect(chosen(both, shelf([both.audioUrl!, 'waiting']), small)).toBe(both.audioUrl)
})

const sizes = (from: SavedShelf, small: boolean) => {
  const found = recordingSizes(both, from, small)
  return found && [found.current, found.coming?.url]
}

test('offers no choice of sizes for a single recording', () => {
  expect(recordingSizes(original, shelf(), true)).toBeUndefined()
  expect(recordingSizes({ ...both, copyBytes: null }, shelf(), true)).toBeUndefined()
})

test('the current size is saved, else preferred', () => {
  expect(sizes(shelf(), true)).toEqual(['small', undefined])
  expect(sizes(shelf(), false)).toEqual(['original', undefined])
  expect(sizes(shelf([copyUrl, 'ready']), false)).toEqual(['small', undefined])
  expect(sizes(shelf([copyUrl, 'waiting']), false)).toEqual(['small', undefined])
})

test.each(['waiting', 'refused'] as const)('the size that replaces the other counts: %s', (state) => {
  const from = shelf([both.audioUrl!, 'ready'], [copyUrl, state])
  from.byKey.get(audioKeyOf(copyUrl)!)!.replaces = audioKeyOf(both.audioUrl)!
  expect(sizes(from, false)).toEqual(state === 'waiting' ? ['small', copyUrl] : ['original', undefined])
})

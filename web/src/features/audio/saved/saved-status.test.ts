import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { expect, test } from 'vitest'
import {
  collectionWords,
  isSaving,
  recordingWords,
  removalQuestion,
  saveButtonState,
  savedWords,
  storageWords,
} from './saved-status.ts'

const MB = 1_000_000
const recording = (change: Partial<SavedRecording>): SavedRecording => ({
  key: 'a',
  teachingUid: 't',
  title: 'Hope',
  speaker: 'Jane Doe',
  date: '2026-11-15',
  url: '/audio/a.mp3',
  size: 10 * MB,
  type: 'audio/mpeg',
  bytes: 0,
  state: 'waiting',
  savedAt: 1,
  ...change,
})
const whole = recording({ state: 'ready', bytes: 10 * MB })
const coming = recording({ bytes: 4 * MB })
const full = recording({ bytes: 4 * MB, problem: 'device full' })
const gone = recording({ state: 'evicted' })
const refused = recording({ state: 'refused', problem: 'It was deleted.' })

test.each([
  [whole, '10 MB'],
  [coming, '40 %'],
  // Verified before it counts as whole.
  [recording({ bytes: 10 * MB }), '99 %'],
  [recording({}), 'Waiting'],
  [full, 'Waits for room, 40 %'],
  [gone, 'Removed by your device'],
  [refused, 'It was deleted.'],
])('a recording shows its state', (row, words) => {
  expect(recordingWords(row).words).toBe(words)
})

test.each<[string, SavedRecording | undefined, string, string, string | undefined]>([
  ['not saved', undefined, 'Save offline (10 MB)', 'save', undefined],
  ['saved', whole, 'Saved', 'manage', undefined],
  ['being saved', coming, '40 %', 'manage', undefined],
  ['waiting', recording({}), 'Waiting', 'manage', undefined],
  [
    'without room',
    full,
    'Manage saved teaching',
    'manage',
    'Your device is full. 40 % is saved; the rest follows once you free some space.',
  ],
  [
    'without any room',
    recording({ problem: 'device full' }),
    'Manage saved teaching',
    'manage',
    'Your device is full. It will be saved once you free some space.',
  ],
  ['removed by the device', gone, 'Removed by your device. Save again?', 'save', undefined],
  ['refused', refused, 'Try to save again', 'save', 'It could not be saved: It was deleted.'],
  [
    'refused without words',
    recording({ state: 'refused' }),
    'Try to save again',
    'save',
    'It could not be saved: the server does not have it.',
  ],
  ['removed', recording({ state: 'dropped' }), 'Save offline (10 MB)', 'save', undefined],
])('the button of a recording that is %s', (_, saved, words, leadsTo, problem) => {
  const state = saveButtonState(saved, 10 * MB)
  expect([state.words, state.leadsTo, state.problem]).toEqual([words, leadsTo, problem])
})

test.each([
  [[], 90 * MB, 0, 'Nothing used of about 90 MB available', 90 * MB],
  [[gone, refused], 90 * MB, 0, 'Nothing used of about 90 MB available', 90 * MB],
  [[whole], 90 * MB, 0, '10 MB used of about 100 MB available', 100 * MB],
  [[whole], 90 * MB, 3 * MB, '13 MB used of about 103 MB available', 103 * MB],
  [[whole], undefined, 0, '10 MB used', 10 * MB],
  [[whole, coming], 90 * MB, 0, '14 MB on this device, 6 MB to come', 20 * MB],
  [[whole, full], 90 * MB, 3 * MB, '17 MB on this device, 6 MB to come', 23 * MB],
])('the sheet shows stored bytes and those to come', (rows, free, handouts, sentence, of) => {
  const words = storageWords(rows, { free, handouts })
  expect([`${words.amount} ${words.rest}`, words.of]).toEqual([sentence, of])
  expect(words.isFull).toBe(rows.includes(full))
})

test('counts recordings that are whole', () => {
  const shelf = (...rows: SavedRecording[]) => ({
    status: 'known' as const,
    byKey: new Map(rows.map((row, at) => [String(at), row])),
    newest: 0,
  })
  expect(savedWords({ ...shelf(whole), status: 'unknown' })).toBe('Saved')
  expect(savedWords(shelf(whole, coming, gone, refused, full))).toBe('Saved (1)')
  expect([shelf(whole, full, gone), shelf(coming)].map(isSaving)).toEqual([false, true])
})

test('a collection is saved once nothing of it is pending', () => {
  expect(collectionWords([whole, undefined])).toBe('Everything of it is saved.')
  expect(collectionWords([whole, coming])).toBe('Everything of it is saved or on its way.')
  expect(collectionWords([full, coming])).toBe('Everything of it is saved or waits for room.')
})

test.each([
  [[whole], true, 'This frees 10 MB.'],
  [[recording({ ...whole, lastPlayedAt: 1 })], false, 'This frees 10 MB.'],
  [
    [recording({ ...whole, lastPlayedAt: 1 })],
    true,
    'This frees 10 MB when the room is needed, as you played it.',
  ],
  [
    [coming, recording({ ...whole, lastPlayedAt: 1 })],
    true,
    'This frees 4 MB now, and 10 MB when the room is needed, as you played it.',
  ],
])('the question tells when removing frees the room', (recordings, holdsAhead, words) => {
  const again = ' You can save it again while you have signal.'
  expect(removalQuestion(recordings, { byKey: new Map() }, holdsAhead)).toBe(words + again)
})

test('removing frees the room at once on full devices', () => {
  const played = recording({ ...whole, lastPlayedAt: 1 })
  expect(removalQuestion([played], { byKey: new Map([['b', full]]) }, true)).toMatch(/^This frees 10 MB\. /)
})

import { aTeaching } from '@fellowship/schema/testing/builders'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { expect, test } from 'vitest'
import { savedRows } from './saved-rows.list.ts'

const address = (letter: string) => `/audio/${letter.repeat(64)}.mp3`
const teaching = aTeaching({ id: 5, title: 'Hope', audioUrl: address('b') })
const recording = (letter: string, state: SavedRecording['state']): SavedRecording => ({
  key: letter.repeat(64),
  teachingUid: teaching.uid,
  title: 'Hope, as it was',
  speaker: teaching.speaker,
  date: teaching.date,
  url: address(letter),
  size: 1000,
  type: 'audio/mpeg',
  bytes: state === 'ready' ? 1000 : 0,
  state,
  savedAt: 0,
})
const shown = (saved: SavedRecording[], rows = [teaching]) =>
  savedRows({ status: 'known', byKey: new Map(saved.map((each) => [each.key, each])), newest: 0 }, rows).map(
    ({ title, audioUrl }) => `${title}: ${audioUrl?.at(7)}`,
  )

test.each([
  ['both are whole', 'ready', 'ready', 'Hope: b'],
  ['only the old one is saved', 'ready', 'waiting', 'Hope, as it was: a'],
  ['only the new one is saved', 'evicted', 'ready', 'Hope: b'],
  ['none is complete', 'evicted', 'waiting', 'Hope: b'],
] as const)('shows one row for a replaced recording when %s', (_, old, present, row) => {
  expect(shown([recording('a', old), recording('b', present)])).toEqual([row])
  expect(shown([recording('b', present), recording('a', old)])).toEqual([row])
})

test('shows a deleted teaching from its saved metadata', () => {
  expect(shown([recording('a', 'ready')], [])).toEqual(['Hope, as it was: a'])
})

test('lists the newest first, then the one added last', () => {
  const others = ['c', 'd', 'e'].map((letter, at) =>
    aTeaching({
      id: 9 - at,
      uid: letter,
      title: letter,
      date: letter === 'e' ? '2026-11-29' : '2026-11-15',
      audioUrl: address(letter),
    }),
  )
  const gone = { ...recording('f', 'ready'), teachingUid: 'f', title: 'f', date: '2026-11-15' }
  const saved = [...['d', 'b', 'c', 'e'].map((letter) => recording(letter, 'ready')), gone]
  const order = ['e: e', 'Hope: b', 'c: c', 'd: d', 'f: f']
  expect(shown(saved, [teaching, ...others])).toEqual(order)
  expect(shown(saved.toReversed(), [teaching, ...others])).toEqual(order)
})

test('finds a teaching by its small copy', () => {
  const withCopy = { ...teaching, copyUrl: address('c') }
  expect(shown([recording('c', 'ready')], [withCopy])).toEqual(['Hope: b'])
  expect(shown([], [withCopy])).toEqual([])
})

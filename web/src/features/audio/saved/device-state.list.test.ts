import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { expect, test } from 'vitest'
import { savedCount, withRoom } from './device-state.list.ts'

const recording = (key: string, change: Partial<SavedRecording>): SavedRecording => ({
  key,
  teachingUid: key,
  title: key,
  speaker: 'S',
  date: '2026-01-01',
  url: `/audio/${key}.mp3`,
  size: 5_000_000,
  type: 'audio/mpeg',
  bytes: 0,
  state: 'waiting',
  savedAt: 1,
  ...change,
})
const problems = (recordings: readonly SavedRecording[]) => recordings.map(({ problem }) => problem)

test('counts only whole recordings as saved', () => {
  const states = ['refused', 'evicted', 'waiting', 'ready'] as const
  const recordings = states.map((state) => recording(state, { state }))
  expect(savedCount({ byKey: new Map(recordings.map((each) => [each.key, each])) })).toBe(1)
})

test('every pending recording waits for room on a full device', () => {
  const [pending, saved] = [recording('a', {}), recording('b', { state: 'ready' })]
  expect(problems(withRoom([pending, saved], false))).toEqual([undefined, undefined])
  expect(problems(withRoom([pending, saved], true))).toEqual(['device full', undefined])
  const marked = recording('c', { problem: 'device full' })
  expect(problems(withRoom([pending, saved, marked], false))).toEqual([
    'device full',
    undefined,
    'device full',
  ])
})

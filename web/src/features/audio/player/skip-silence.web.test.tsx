import { packSound } from '@fellowship/sound/measure/sound-file'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chooseComfort } from '../../../lib/comfort.ts'
import { skippedSeconds } from '../../../lib/skipped-silence.ts'
import { testServer } from '../../../testing/test-server.ts'
import { noPlayer } from './player-loading.ts'
import type { Player } from './player-state.ts'
import { afterSilence, skipSilences } from './skip-silence.ts'

/** The part of an audio element that skipping reads, with the first `loaded` seconds here. */
class PlayingAudio extends EventTarget {
  currentTime = 0
  paused = false
  seeking = false
  loaded = 600
  get buffered() {
    return { length: 1, start: () => 0, end: () => this.loaded }
  }
  reaches(seconds: number): number {
    this.currentTime = seconds
    this.dispatchEvent(new Event('timeupdate'))
    return this.currentTime
  }
}

const soundUrl = `/audio/${'ab'.repeat(32)}.sound.json`
const silences: [number, number][] = [
  [10, 15],
  [30, 31.6],
]
const recording = { uid: 'u', title: 'Hope', speaker: 'Ruth', audioUrl: '/audio/x.mp3', duration: null }

function playing(given: { soundUrl?: string }) {
  const audio = new PlayingAudio()
  const player = {
    state: () => ({ ...noPlayer, recording: { ...recording, ...given } }),
  } as unknown as Player
  skipSilences(player, audio as unknown as HTMLAudioElement)
  return audio
}

beforeEach(() => {
  localStorage.clear()
  chooseComfort({ silence: 'skipped' })
})
afterEach(() => chooseComfort({ silence: undefined }))

const serve = () =>
  testServer({ [`GET ${soundUrl}`]: () => ({ body: packSound({ seconds: 60, peaks: [1], silences }) }) })

test('skips a silence, and counts the skipped seconds', async () => {
  const asked = await serve()
  const audio = playing({ soundUrl })
  await vi.waitFor(() => expect(audio.reaches(11)).toBeCloseTo(14.6))
  expect(skippedSeconds()).toBeCloseTo(3.6)
  expect([audio.reaches(10.2), audio.reaches(14.2), audio.reaches(20)]).toEqual([10.2, 14.2, 20])
  expect(asked.filter(({ path }) => path === soundUrl)).toHaveLength(1)
})

test('skips nothing while paused or to unbuffered parts', async () => {
  await serve()
  const audio = playing({ soundUrl })
  await vi.waitFor(() => expect(audio.reaches(11)).toBeGreaterThan(14))
  audio.loaded = 12
  expect(audio.reaches(11)).toBe(11)
  audio.loaded = 600
  audio.paused = true
  expect(audio.reaches(11)).toBe(11)
  audio.paused = false
  chooseComfort({ silence: 'played' })
  expect(audio.reaches(11)).toBe(11)
})

test('plays a recording whole if it was not measured', async () => {
  const asked = await serve()
  expect(playing({}).reaches(11)).toBe(11)
  expect(asked).toEqual([])
})

test.each([
  [10.3, undefined],
  [10.4, 14.6],
  [13.9, 14.6],
  [14.1, undefined],
  [30.5, 31.2],
  [31, undefined],
])('continues from %d seconds at %s', (at, target) => {
  const found = afterSilence(
    silences.map(([start, end]) => ({ start, end })),
    at,
  )
  if (target === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(target)
})

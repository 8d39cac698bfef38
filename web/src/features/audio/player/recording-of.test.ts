import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import { evenVolume, playableOf } from './recording-of.ts'

test.each([
  [null, 1],
  [undefined, 1],
  [-30, 1],
  [-16, 1],
  [-10, 0.501],
  [0, 0.158],
])('plays a recording of %d LUFS at volume %d', (loudness, volume) => {
  expect(evenVolume(loudness)).toBeCloseTo(volume, 3)
})

test('plays the recording of a teaching, as loud as the others', () => {
  const teaching = aTeaching({ loudness: -10 })
  expect(playableOf({ ...teaching, audioUrl: null })).toBeNull()
  expect(playableOf(teaching)).toMatchObject({
    uid: teaching.uid,
    title: 'Hope in Christ',
    audioUrl: teaching.audioUrl,
    bytes: 20_240_000,
    volume: evenVolume(-10),
    soundUrl: soundAddress(teaching.audioUrl!),
  })
  expect(playableOf({ ...teaching, loudness: null })).toMatchObject({ volume: 1, soundUrl: undefined })
})

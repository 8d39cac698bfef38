import { expect, test } from 'vitest'
import { evenVolume } from './recording-of.ts'

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

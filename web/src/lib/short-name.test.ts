import { expect, test } from 'vitest'
import { shortName } from './short-name.ts'

test.each([
  ['2026-11-22_John-Smith.mp3', '2026-11-22_John-Smith.mp3'],
  [
    '2026-10-22_Hargreaves-Tom"A very long title"_Romans_12_1-21.mp3',
    '2026-10-22_Hargreaves-Tom"…s_12_1-21.mp3',
  ],
  ['🌾'.repeat(50), `${'🌾'.repeat(26)}…${'🌾'.repeat(13)}`],
])('shortens %s in its middle', (name, short) => {
  expect(shortName(name)).toBe(short)
})

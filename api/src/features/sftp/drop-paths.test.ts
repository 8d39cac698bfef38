import { expect, test } from 'vitest'
import { isFinalName, isSystemFile } from './drop-paths.ts'

test.each([
  '2026-11-22_John-Smith"Hope".mp3.filepart',
  '2026-11-22_John-Smith"Hope".mp3.1f9a2b3c.partial',
  '2026-11-22_John-Smith"Hope".mp3.part',
  '.in.2026-11-22_John-Smith"Hope".mp3.',
  '.DS_Store',
  '._2026-11-22_John-Smith"Hope".mp3',
  'Thumbs.db',
  'desktop.ini',
  'notes.txt~',
])('%s is not final', (name) => expect(isFinalName(name)).toBe(false))

test.each(['2026-11-22_John-Smith"Hope".mp3', 'Sunday.WAV', 'sermon', 'notes.txt', 'part.mp3'])(
  '%s is final',
  (name) => expect(isFinalName(name)).toBe(true),
)

test('a part with a leading dot is no system file', () => {
  expect([
    isSystemFile('.hidden.mp3.part'),
    isSystemFile('a.mp3.filepart'),
    isSystemFile('.DS_Store'),
  ]).toEqual([false, false, true])
})

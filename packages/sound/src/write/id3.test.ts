import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blobBytes, latinText } from '../read/bytes.ts'
import { readChapters } from '../read/metadata.ts'
import { findTags } from '../read/mp3-tags.ts'
import { id3Tag } from './id3.ts'

const teaching = { title: 'Hope', speaker: 'Jane', date: '2026-11-22', scriptureReference: 'Romans 8' }
async function endsOf(file: Uint8Array) {
  const read = async (from: number, length: number) => file.subarray(from, from + length)
  const { sound: found } = await findTags({ size: file.length, read })
  return { before: found.from, behind: file.length - found.to }
}
const sound = new Uint8Array(50_000).fill(0xff)
const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

test.each([
  ['no tag', sound],
  ['nothing', new Uint8Array(0)],
  ['the mark alone', latin('ID3')],
  ['a length that is none', joined(latin('ID3\x04\0\0\xff\0\0\0'), sound)],
  ['a length beyond the file', joined(latin('ID3\x04\0\0\x7f\x7f\x7f\x7f'), sound)],
  ['a tag of the other kind beyond the file', joined(sound, latin(`APETAGEX${'\xff'.repeat(24)}`))],
])('treats %s as sound', async (_, file) => {
  expect(await endsOf(file)).toEqual({ before: 0, behind: 0 })
})

test('finds tags before and behind the sound', async () => {
  const v1 = new Uint8Array(128)
  v1.set(latin('TAG'))
  const ape = joined(
    latin('APETAGEX'),
    Uint8Array.of(0xd0, 7, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    new Uint8Array(8),
  )
  expect(await endsOf(joined(id3Tag(teaching), sound, v1))).toEqual({ before: 4_096, behind: 128 })
  expect(await endsOf(joined(sound, ape))).toEqual({ before: 0, behind: 32 })
  expect(await endsOf(joined(sound, ape, v1))).toEqual({ before: 0, behind: 160 })
  expect(await endsOf(joined(id3Tag(teaching), id3Tag(teaching), sound))).toEqual({
    before: 8_192,
    behind: 0,
  })
})

test('is found again, whatever its texts', async () => {
  const text = fc.string({ maxLength: 255, unit: 'grapheme' })
  await fc.assert(
    fc.asyncProperty(text, text, text, async (title, speaker, scriptureReference) => {
      const tag = id3Tag({ title, speaker, date: '2026-11-22', scriptureReference })
      expect(tag.length % 4_096).toBe(0)
      expect(await endsOf(joined(tag, new Uint8Array(tag.length * 2)))).toEqual({
        before: tag.length,
        behind: 0,
      })
    }),
    { numRuns: 50 },
  )
})

test('contains the picture', () => {
  const bytes = new Uint8Array(9_000).fill(7)
  const tag = id3Tag(teaching, { mime: 'image/png', bytes })
  expect([tag.length, Buffer.from(tag).includes(Buffer.from(bytes))]).toEqual([12_288, true])
})

test('chapters of a tag are read back', async () => {
  const chapters = '0:00 Welcome\n12:30 Grâce (teaching starts here)\n1:02:09 Prayer'
  const file = new Blob([id3Tag({ ...teaching, chapters, duration: '1:10:00' }), sound])
  expect(await readChapters(blobBytes(file))).toEqual([
    { seconds: 0, title: 'Welcome' },
    { seconds: 750, title: 'Grâce' },
    { seconds: 3_729, title: 'Prayer' },
  ])
  expect(latinText(new Uint8Array(await file.arrayBuffer()).subarray(0, 4_096))).toContain('CTOC')
  expect(await readChapters(blobBytes(new Blob([id3Tag(teaching), sound])))).toEqual([])
})

test('damaged chapters are skipped', async () => {
  const whole = id3Tag({ ...teaching, chapters: '0:00 A\n0:10 B', duration: '1:00' })
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 11), fc.nat(255), async (at, byte) => {
      const damaged = whole.slice()
      damaged[10 + at] = byte
      for (const { seconds } of await readChapters(blobBytes(new Blob([damaged, sound]))))
        expect(seconds).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 200 },
  )
})

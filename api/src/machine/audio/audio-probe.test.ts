import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDescriptors, openFilesUnder } from '../../testing/open-files.ts'
import { probeAudio } from './audio-reader.ts'

const fixture = (name: string) => path.join(import.meta.dirname, '../../../../infra/dev/fixtures', name)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'probe-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const made = async (bytes: Buffer, name = 'recording.mp3') => {
  const file = path.join(folder, name)
  await writeFile(file, bytes)
  return file
}
const part = async (name: string, share: number) => {
  const bytes = await readFile(fixture(name))
  return made(bytes.subarray(0, Math.floor(bytes.length * share)), name)
}
const id3 = (bytes: number) => {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f)
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from(size), Buffer.alloc(bytes)])
}
const notAudio = /is not an MP3, WAV or M4A recording/

test.each([
  ['nothing', Buffer.alloc(0), /This file is empty/],
  ['zeros', Buffer.alloc(50_000), notAudio],
  ['noise', randomBytes(200_000), notAudio],
  ['a page', Buffer.from('<!doctype html><title>x</title>'.repeat(500)), notAudio],
  ['a PDF', Buffer.from('%PDF-1.7\n' + 'x'.repeat(5000)), notAudio],
  ['a ZIP', Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(4000)]), notAudio],
  [
    'an OGG',
    Buffer.concat([
      Buffer.from('OggS\0\x02', 'latin1'),
      Buffer.alloc(22),
      Buffer.from('OpusHead'),
      Buffer.alloc(900),
    ]),
    /browsers cannot play|is not an MP3/,
  ],
  ['an ID3 tag with nothing behind it', id3(4000), /damaged|not an MP3/],
  [
    'an ID3 tag that claims 200 MB',
    Buffer.concat([Buffer.from('ID3\x04\0\0\x5f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(4000)]),
    /damaged|not an MP3/,
  ],
  ['a bare RIFF head', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), /damaged|not an MP3/],
])('refuses %s named .mp3', async (_, bytes, sentence) => {
  await expect(probeAudio(await made(bytes))).rejects.toMatchObject({
    code: 'unsupported_audio',
    message: expect.stringMatching(sentence) as string,
  })
})

test('refuses 3GP named .m4a', async () => {
  const file = await made(await readFile(fixture('samsung.3gp')), 'recording.m4a')
  await expect(probeAudio(file)).rejects.toThrow('This recording uses a format browsers cannot play (3GP).')
})

test('refuses Apple Lossless, which most browsers do not play', async () => {
  await expect(probeAudio(fixture('alac.m4a'))).rejects.toThrow(/browsers cannot play \(ALAC\)/)
})

test.each([
  ['cbr.mp3', 0.5, /cut off: 0:03 of 0:06 have arrived/],
  ['vbr-xing.mp3', 0.6, /cut off: 0:0\d of 0:06 have arrived/],
  ['speech.wav', 0.5, /cut off: 0:0[12] of 0:03 have arrived/],
  ['faststart.m4a', 0.7, /never finished|damaged/],
  ['slow.m4a', 0.7, /never finished/],
])('refuses a %s truncated to a share of %d', async (name, share, sentence) => {
  await expect(probeAudio(await part(name, share))).rejects.toThrow(sentence)
})

test.each([
  ['cbr.mp3', 'mp3', 6.03],
  ['vbr-xing.mp3', 'mp3', 6.03],
  ['vbr-noxing.mp3', 'mp3', 6.03],
  ['speech.wav', 'wav', 3],
  ['faststart.m4a', 'm4a', 6.03],
  ['slow.m4a', 'm4a', 6.03],
])('%s is recognized as %s with its duration', async (name, extension, seconds) => {
  const facts = await probeAudio(fixture(name))
  expect(facts.extension).toBe(extension)
  expect(facts.mime).toMatch(/^audio\/(mpeg|wav|mp4)$/)
  expect(Math.abs(facts.durationSeconds - seconds)).toBeLessThan(0.06)
})

test('ignores the name and the extension', async () => {
  const file = await made(await readFile(fixture('slow.m4a')), 'teaching.mp3')
  expect(await probeAudio(file)).toMatchObject({ extension: 'm4a', mime: 'audio/mp4' })
})

test.each([
  ['a large tag', id3(600_000)],
  ['two tags', Buffer.concat([id3(300), id3(5000)])],
  ['a few stray bytes', Buffer.from('\0\0\0junk\xff\xfb', 'latin1')],
])('recognizes and measures an MP3 after %s', async (_, before) => {
  const audio = await readFile(fixture('vbr-noxing.mp3'))
  const facts = await probeAudio(await made(Buffer.concat([before, audio])))
  expect(facts.extension).toBe('mp3')
  expect(Math.abs(facts.durationSeconds - 6.03)).toBeLessThan(0.06)
})

test('accepts trailing tags and a truncated last frame', async () => {
  const audio = await readFile(fixture('vbr-noxing.mp3'))
  const tag = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])
  const facts = await probeAudio(await made(Buffer.concat([audio.subarray(0, -10), tag])))
  expect(Math.abs(facts.durationSeconds - 6.03)).toBeLessThan(0.1)
})

test('measures two concatenated recordings to the end of the second', async () => {
  const audio = await readFile(fixture('vbr-xing.mp3'))
  const { durationSeconds } = await probeAudio(await made(Buffer.concat([audio, audio])))
  expect(durationSeconds).toBeGreaterThan(11.9)
})

test('flipped bytes cause no hang, crash or open file', async () => {
  const before = openDescriptors().length
  let seed = 7
  const random = (n: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % n
  for (const name of ['cbr.mp3', 'speech.wav', 'slow.m4a', 'faststart.m4a']) {
    const original = await readFile(fixture(name))
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.from(original)
      for (let flips = 0; flips < 8; flips++) bytes[random(round % 2 ? 512 : bytes.length)] = random(256)
      const result = await probeAudio(await made(bytes, 'fuzz')).catch((error: unknown) => error)
      if (result instanceof Error) expect(result).toMatchObject({ code: 'unsupported_audio' })
    }
  }
  expect(openFilesUnder(folder)).toEqual([])
  // No descriptor is left by any of the 160 reads; other tests of this worker may have a few open.
  expect(openDescriptors().length).toBeLessThan(before + 100)
})

import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDescriptors, openFilesUnder } from '../../testing/open-files.ts'
import { walkMp3 } from '@fellowship/sound/read/mp3-frames'
import { recordSource } from '../../testing/recordings.ts'
import { probeAudio, rewrapAudio } from './audio-reader.ts'

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

test('refuses Apple Lossless, which most browsers do not play', async () => {
  await expect(probeAudio(fixture('alac.m4a'))).rejects.toThrow(/browsers cannot play \(ALAC\)/)
})

test('refuses an M4A whose index never arrived', async () => {
  await expect(probeAudio(await part('slow.m4a', 0.7))).rejects.toThrow(/never finished/)
})

test.each([
  ['cbr.mp3', 0.5, 3.03, 6.06],
  ['vbr-xing.mp3', 0.6, 3.55, 6.06],
  ['speech.wav', 0.5, 1.5, 3],
  ['faststart.m4a', 0.7, 4.09, 6],
])('measures a %s truncated to a share of %d', async (name, share, present, whole) => {
  const file = await part(name, share)
  const facts = await probeAudio(file)
  expect(Math.abs(facts.durationSeconds - present)).toBeLessThan(0.1)
  expect(facts.wholeSeconds).toBeCloseTo(whole, 1)
  const target = `${file}.whole`
  await rewrapAudio({ path: file, target })
  const rewritten = await probeAudio(target)
  expect(rewritten.wholeSeconds).toBeUndefined()
  expect(Math.abs(rewritten.durationSeconds - present)).toBeLessThan(0.1)
})

test('an MP3 that was cut between frames is whole, under a header that is written anew', async () => {
  const bytes = await readFile(fixture('cbr.mp3'))
  const ends: number[] = []
  walkMp3(windowOf(bytes), (at, length) => ends.push(at + length))
  const file = await made(bytes.subarray(0, ends[100]))
  expect(await probeAudio(file)).toMatchObject({ isRewrapped: true, wholeSeconds: undefined })
  const target = `${file}.whole`
  await rewrapAudio({ path: file, target })
  expect((await probeAudio(target)).isRewrapped).toBe(false)
})

test('an MP3 in a WAV comes out under a true header', async () => {
  const inside = (await readFile(fixture('cbr.mp3'))).subarray(0, 12_000)
  const ends: number[] = []
  walkMp3(windowOf(inside), (at, length) => ends.push(at + length))
  const sound = inside.subarray(0, ends.at(-1))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + sound.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(0x55, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(44_100, 24)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(sound.length, 40)
  const file = await made(Buffer.concat([head, sound]), 'inside.wav')
  const { durationSeconds } = await probeAudio(file)
  expect(Math.abs(durationSeconds - 2.96)).toBeLessThan(0.1)
  const target = `${file}.mp3`
  await rewrapAudio({ path: file, target })
  const facts = await probeAudio(target)
  expect([facts.isRewrapped, Math.abs(facts.durationSeconds - durationSeconds) < 0.06]).toEqual([false, true])
})

test('a variable bitrate without a table gets one, between its tags', async () => {
  const sound = await readFile(fixture('vbr-noxing.mp3'))
  const tag = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])
  // Three times quiet, then loud: an even table would lead seconds away.
  const loud = await readFile(fixture('vbr-xing.mp3'))
  const file = await made(Buffer.concat([id3(300), sound, sound, loud.subarray(500), tag]))
  const { isRewrapped, durationSeconds } = await probeAudio(file)
  expect(isRewrapped).toBe(true)
  const target = `${file}.table`
  await rewrapAudio({ path: file, target })
  const written = await readFile(target)
  expect((await probeAudio(target)).isRewrapped).toBe(false)
  expect([written.subarray(0, 310).equals(id3(300)), written.subarray(-128).equals(tag)]).toEqual([
    true,
    true,
  ])
  const frames: number[] = []
  walkMp3(windowOf(written), (at, _, isInfo) => isInfo || frames.push(at))
  const table = written.indexOf('Xing') + 16
  const bytes = written.readUInt32BE(table - 4)
  for (const percent of [10, 50, 90]) {
    const place = 310 + (written[table + percent]! * bytes) / 256
    const second = (frames.filter((at) => at < place).length / frames.length) * durationSeconds
    expect(Math.abs(second - (durationSeconds * percent) / 100)).toBeLessThan(0.5)
  }
})

const windowOf = (bytes: Buffer) => ({
  size: bytes.length,
  read: (at: number, length: number) => bytes.subarray(at, at + length),
  memory: () => ({ bytes, start: 0, end: bytes.length }),
})

/** The sound of two seconds in a container, made by ffmpeg, and what becomes of it. */
const containers: readonly (readonly [string, readonly string[], 'mp3' | 'wav' | 'm4a', boolean])[] = [
  ['x.m4a', ['-c:a', 'aac'], 'm4a', false],
  ['x.m4b', ['-c:a', 'aac', '-f', 'ipod'], 'm4a', false],
  ['fragmented.mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'], 'm4a', false],
  ['x.mov', ['-c:a', 'aac', '-f', 'mov'], 'm4a', true],
  ['x.3gp', ['-c:a', 'aac', '-ar', '16000', '-f', '3gp'], 'm4a', true],
  ['brand.f4a', ['-c:a', 'aac', '-brand', 'F4A ', '-f', 'mp4'], 'm4a', true],
  ['x.aac', ['-c:a', 'aac', '-f', 'adts'], 'm4a', true],
  ['x.ts', ['-c:a', 'aac', '-f', 'mpegts'], 'm4a', true],
  ['x.mka', ['-c:a', 'aac', '-f', 'matroska'], 'm4a', true],
  ['mp3.mp4', ['-c:a', 'libmp3lame', '-f', 'mp4'], 'mp3', true],
  ['variable.mka', ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'matroska'], 'mp3', true],
  ['mp3.wav', ['-c:a', 'libmp3lame', '-f', 'wav'], 'mp3', true],
  ['little.mov', ['-c:a', 'pcm_s16le', '-f', 'mov'], 'wav', true],
  ['big.mov', ['-c:a', 'pcm_s24be', '-f', 'mov'], 'wav', true],
  ['x.wav', ['-c:a', 'pcm_s24le'], 'wav', false],
  ['eight.wav', ['-c:a', 'pcm_s16le', '-ac', '8'], 'wav', false],
  ['sixteen.wav', ['-c:a', 'pcm_s16le', '-ac', '16'], 'wav', true],
  ['double.wav', ['-c:a', 'pcm_f64le'], 'wav', true],
  ['rf64.wav', ['-c:a', 'pcm_s16le', '-rf64', 'always'], 'wav', true],
]

test.each(containers)('%s is taken by its sound', async (name, output, extension, isRewrapped) => {
  const file = path.join(folder, name)
  await recordSource(file, 'sine=f=440:r=48000:d=2', output)
  const facts = await probeAudio(file)
  expect(facts).toMatchObject({ extension, isRewrapped, wholeSeconds: undefined })
  expect(Math.abs(facts.durationSeconds - 2)).toBeLessThan(0.12)
  if (!isRewrapped) return
  const [first, second] = [`${file}.1`, `${file}.2`]
  await rewrapAudio({ path: file, target: first })
  await rewrapAudio({ path: file, target: second })
  expect((await readFile(first)).equals(await readFile(second))).toBe(true)
  // Written in one second they would be equal with its time in them.
  const bytes = await readFile(first)
  if (extension === 'm4a') expect(bytes.readUInt32BE(bytes.indexOf('mvhd') + 8)).toBe(0)
  const rewritten = await probeAudio(first)
  expect(rewritten).toMatchObject({ extension, isRewrapped: false })
  expect(Math.abs(rewritten.durationSeconds - facts.durationSeconds)).toBeLessThan(0.05)
})

test.each([
  ['video.mp4', 'testsrc=r=25:d=2', ['-c:v', 'mpeg4', '-f', 'mp4'], /is a video/],
  ['sound.mkv', 'sine=d=2', ['-c:a', 'flac'], /cannot play \(FLAC\)/],
  ['sound.opus', 'sine=d=2', ['-c:a', 'libopus'], /cannot play \(OPUS\)/],
  ['sound.aiff', 'sine=d=2', [], /cannot play \(AIFF?\)/],
  ['adpcm.wav', 'sine=d=2', ['-c:a', 'adpcm_ms'], /cannot play \(ADPCM\)/],
  ['layer2.mp2', 'sine=d=2', ['-c:a', 'mp2'], /cannot play \(MP2\)|not an MP3/],
])('refuses %s with the true reason', async (name, source, output, sentence) => {
  const file = path.join(folder, name)
  await recordSource(file, source, output)
  await expect(probeAudio(file)).rejects.toThrow(sentence)
})

test('refuses an MP3 whose sample rate changes', async () => {
  const [one, other] = [path.join(folder, '44.mp3'), path.join(folder, '48.mp3')]
  await recordSource(one, 'sine=r=44100:d=2')
  await recordSource(other, 'sine=r=48000:d=2')
  const both = await made(Buffer.concat([await readFile(one), await readFile(other)]), 'both.mp3')
  await expect(probeAudio(both)).rejects.toThrow(/changes its sample rate/)
})

test('refuses a free-format MP3', async () => {
  const bytes = await readFile(fixture('vbr-noxing.mp3'))
  const frames: Buffer[] = []
  walkMp3(windowOf(bytes), (at, length) => {
    const frame = Buffer.alloc(300)
    bytes.copy(frame, 0, at, at + Math.min(length, 300))
    frame[2]! &= 0x0d
    frames.push(frame)
  })
  await expect(probeAudio(await made(Buffer.concat(frames)))).rejects.toThrow(/free-format/)
})

test('sound behind a short header is counted', async () => {
  const bytes = await readFile(fixture('speech.wav'))
  bytes.writeUInt32LE(16_000, bytes.indexOf('data') + 4)
  const file = await made(bytes)
  expect(await probeAudio(file)).toMatchObject({ durationSeconds: 3, isRewrapped: true })
})

test('chunks behind the sound are no sound', async () => {
  const bytes = await readFile(fixture('speech.wav'))
  const behind = Buffer.concat([Buffer.from('LIST'), Buffer.from([0, 128, 0, 0]), Buffer.alloc(32_768)])
  expect(await probeAudio(await made(Buffer.concat([bytes, behind])))).toMatchObject({
    durationSeconds: 3,
    isRewrapped: false,
  })
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

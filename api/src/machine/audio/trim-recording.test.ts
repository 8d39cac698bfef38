import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canMakeSpeech, playedSeconds, recordSpeech } from '../../testing/recordings.ts'
import { trimAudio } from './audio-reader.ts'
import { readAudio } from './recording-files.ts'

const run = promisify(execFile)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trim-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const inFolder = (name: string) => path.join(folder, name)

async function trimmed(name: string, cut: { start: number; end: number }): Promise<string> {
  const target = inFolder(`trimmed-${name}`)
  const extension = name.endsWith('.wav') ? 'wav' : 'mp3'
  const bytes = await trimAudio({ path: inFolder(name), extension, target, ...cut })
  expect(bytes).toBe((await stat(target)).size)
  return target
}

/** Seconds by the file's own headers, as ffprobe reads them, and those of its packets. */
async function probed(file: string): Promise<{ seconds: number; packets: number }> {
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-count_packets',
    '-show_entries',
    'format=duration:stream=nb_read_packets',
    '-of',
    'json',
    file,
  ])
  const { format, streams } = JSON.parse(stdout) as {
    format: { duration: string }
    streams: { nb_read_packets: string }[]
  }
  return { seconds: Number(format.duration), packets: Number(streams[0]!.nb_read_packets) }
}

describe('what cannot be trimmed is refused', () => {
  test.each([
    ['page.mp3', Buffer.from('<!doctype html>'.repeat(500))],
    ['empty.wav', Buffer.alloc(0)],
    ['bare.wav', Buffer.from('RIFF\x24\0\0\0WAVEdata\x10\0\0\0' + '\0'.repeat(64), 'latin1')],
  ])('%s', async (name, bytes) => {
    await writeFile(inFolder(name), bytes)
    await expect(trimmed(name, { start: 1, end: 0 })).rejects.toThrow(/damaged/)
  })

  test('refuses a cut that would remove everything', async () => {
    const fixture = path.join(import.meta.dirname, '../../../../infra/dev/fixtures/cbr.mp3')
    await writeFile(inFolder('short.mp3'), await readFile(fixture))
    await expect(trimmed('short.mp3', { start: 9_999, end: 0 })).rejects.toThrow(/no sound/)
  })
})

describe.skipIf(!canMakeSpeech)('a trimmed recording, measured by ffmpeg', () => {
  const title = ['-metadata', 'title=Hope']
  const more: [string, string[]][] = process.env['COPY_RECORDINGS']
    ? [
        ['low.mp3', ['-ar', '22050', '-ac', '1', '-b:a', '32k']],
        ['deep.wav', ['-c:a', 'pcm_s24le']],
        ['float.wav', ['-c:a', 'pcm_f32le']],
      ]
    : []
  test.each([
    ['cbr.mp3', ['-b:a', '96k', ...title]],
    ['vbr.mp3', ['-q:a', '4', ...title]],
    ['bare.mp3', ['-b:a', '64k', '-write_xing', '0', '-id3v2_version', '0']],
    ['short.wav', ['-ar', '44100', '-c:a', 'pcm_s16le', ...title]],
    ...more,
  ])('%s is as long as what was left of it', async (name, output) => {
    await recordSpeech(inFolder(name), { seconds: 12, output })
    const whole = await playedSeconds(inFolder(name))
    for (const cut of [
      { start: 4.3, end: 0 },
      { start: 0, end: 3.9 },
      { start: 3, end: 4 },
    ]) {
      const file = await trimmed(name, cut)
      const expected = whole - cut.start - cut.end
      const { seconds } = await probed(file)
      // One more frame than requested stays at each end.
      expect(seconds - expected).toBeGreaterThan(-0.06)
      expect(seconds - expected).toBeLessThan(0.16)
      expect(Math.abs((await playedSeconds(file)) - seconds)).toBeLessThanOrEqual(0.06)
      const facts = await readAudio(file)
      expect(Math.abs(facts.durationSeconds - seconds)).toBeLessThan(0.1)
    }
  })

  test('copies the frames byte for byte', async () => {
    await recordSpeech(inFolder('frames.mp3'), { seconds: 12, output: ['-b:a', '64k', ...title] })
    const [whole, part] = await Promise.all([
      readFile(inFolder('frames.mp3')),
      trimmed('frames.mp3', { start: 4, end: 4 }).then((file) => readFile(file)),
    ])
    // The last ten kilobytes of the part stand in the whole.
    expect(whole.includes(part.subarray(-10_000))).toBe(true)
    expect(part.subarray(0, 3).toString()).toBe('ID3')
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format_tags=title',
      '-of',
      'csv=p=0',
      inFolder('trimmed-frames.mp3'),
    ])
    expect(stdout.trim()).toBe('Hope')
  })

  test('a player can seek to the middle', async () => {
    await recordSpeech(inFolder('seek.mp3'), { seconds: 24, output: ['-q:a', '5'] })
    const file = await trimmed('seek.mp3', { start: 6, end: 6 })
    const { packets } = await probed(file)
    expect(packets).toBeGreaterThan(12 * 41)
    expect(Math.abs((await playedSeconds(file, 6)) - 6)).toBeLessThan(0.3)
  })
})

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { packSound, silencesOf } from '@fellowship/sound/measure/sound-file'
import { copyBytesOf, copySound } from '@fellowship/sound/write/small-copy'
import {
  canMakeSpeech,
  channelsOf,
  measure,
  recordSource,
  recordSpeech,
  silencesIn,
} from '../../../testing/recordings.ts'
import { readAudio } from '../recording-files.ts'
import { installedFfmpeg } from './copy-process.ts'
import { pcmStream, plausibleSeconds } from './pcm-stream.ts'
import { writeSmallCopy } from './small-copy.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'copies-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const inFolder = (name: string) => path.join(folder, name)

const samplesOf = (file: string) => () =>
  pcmStream(file, path.extname(file).slice(1) as AudioExtension, { ffmpeg: installedFfmpeg() })

async function copied(file: string) {
  const target = `${file}.copy.mp3`
  await writeFile(target, '')
  const { mono, ...sound } = await measureSound(samplesOf(file)())
  return { sound, mono, copy: await writeSmallCopy(samplesOf(file), mono, target), target }
}

describe('what cannot be read is refused with the reason', () => {
  test.each([
    ['empty.mp3', Buffer.alloc(0), /no sound/],
    ['zeros.mp3', Buffer.alloc(50_000), /no sound/],
    ['page.wav', Buffer.from('<!doctype html>'.repeat(99)), /no WAV/],
    ['bare.wav', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), /no sound/],
    [
      'order.wav',
      Buffer.from('RIFF\x24\0\0\0WAVEdata\x10\0\0\0' + '\0'.repeat(64), 'latin1'),
      /before its sound/,
    ],
    ['empty.m4a', Buffer.alloc(9_000), /ffmpeg/],
  ])('%s', async (name, bytes, reason) => {
    await writeFile(inFolder(name), bytes)
    await expect(measureSound(samplesOf(inFolder(name))())).rejects.toThrow(reason)
  })

  test('rejects two sample rates in one file', async () => {
    const fixture = (name: string) =>
      readFile(path.join(import.meta.dirname, '../../../../../infra/dev/fixtures', name))
    const mp3 = await fixture('cbr.mp3')
    await recordSource(inFolder('other.mp3'), 'sine=r=48000:d=2')
    await writeFile(inFolder('mixed.mp3'), Buffer.concat([mp3, await readFile(inFolder('other.mp3'))]))
    await expect(measureSound(samplesOf(inFolder('mixed.mp3'))())).rejects.toThrow(/sample rate changes/)
  })
})

describe('more sound than a recording may have', () => {
  test.each(['wav', 'm4a'])('stops decoding %s', async (extension) => {
    const file = inFolder(`long.${extension}`)
    await recordSource(file, 'sine=r=16000:d=4')
    const decode = async () => {
      for await (const _ of pcmStream(file, extension as AudioExtension, {
        ffmpeg: installedFfmpeg(),
        mostSeconds: 2,
      }));
    }
    await expect(decode()).rejects.toThrow(/more sound/)
  })

  test('refuses a declared length that its bytes cannot hold', () => {
    expect(() => plausibleSeconds(86_599, 464_399)).toThrow(/more sound/)
    // Less than 40 bytes a second.
    expect(() => plausibleSeconds(86_599, 2_300)).toThrow(/more sound/)
    expect(() => plausibleSeconds(250_000_000, 90_000)).toThrow(/more sound/)
    expect(plausibleSeconds(30_000_000, 3_000)).toBeCloseTo(3_360)
  })

  test('starts ffmpeg with limits of memory and time', async () => {
    const ffmpeg = inFolder('limits.sh')
    await writeFile(ffmpeg, '#!/bin/sh\necho "$(ulimit -d) $(ulimit -t)" >&2; exit 1\n', { mode: 0o755 })
    const decode = async () => {
      for await (const _ of pcmStream(ffmpeg, 'm4a', { ffmpeg, mostSeconds: 100 }));
    }
    await expect(decode()).rejects.toThrow('ffmpeg could not read it: 196608 80')
  })
})

type Recorded = readonly [name: string, Parameters<typeof recordSpeech>[1]]

/** A steady tone under the voice, in Hz and dBFS. */
const withHum = (frequency: number, level: number) =>
  `[voice];sine=f=${frequency}:r=48000,volume=${level + 18 + 3}dB[tone];[voice][tone]amix=inputs=2:duration=shortest:normalize=0`

const stereo = 'pan=stereo|c0=c0|c1=c0'
const withNoise =
  '[voice];anoisesrc=r=48000:a=0.02:c=pink:seed=3[noise];[voice][noise]amix=inputs=2:duration=shortest:normalize=0'

/** Recordings whose samples differ from those of others only in how they are decoded. In the soak they are copied too. */
const onlyDecoded: readonly Recorded[] = [
  ['eight-bits.wav', { output: ['-ar', '22050', '-c:a', 'pcm_u8'] }],
  ['vbr.mp3', { filter: 'volume=-12dB', output: ['-q:a', '4'] }],
  ['phone.m4a', { filter: 'volume=-8dB', output: ['-c:a', 'aac', '-b:a', '96k'] }],
]

/** In the soak: a teaching of an hour and a half, each minutes to make, to copy and to measure, and more of the short ones. */
const more: readonly Recorded[] = process.env['COPY_RECORDINGS']
  ? [
      ['long.mp3', { seconds: 5_400, filter: stereo, output: ['-ar', '44100', '-b:a', '128k'] }],
      ['long.wav', { seconds: 5_400, output: ['-ar', '8000', '-c:a', 'pcm_s16le'] }],
      ['long.m4a', { seconds: 5_400, filter: stereo, output: ['-c:a', 'aac', '-b:a', '96k'] }],
      ...onlyDecoded,
      ['noise.mp3', { filter: `volume=-14dB${withNoise}`, output: ['-b:a', '96k'] }],
      [
        'two-levels.wav',
        { seconds: 30, filter: "volume='if(lt(t,15),0.8,0.16)':eval=frame", output: ['-c:a', 'pcm_s16le'] },
      ],
      ['cbr.mp3', { filter: `volume=-6dB,${stereo}`, output: ['-ar', '44100', '-b:a', '128k'] }],
      ['speech-16.wav', { filter: stereo, output: ['-ar', '44100', '-c:a', 'pcm_s16le'] }],
      ['narrow.wav', { output: ['-ar', '16000', '-c:a', 'pcm_s16le'] }],
    ]
  : []

/** Of most recordings here. */
const seconds = 4
const timeout = more.length > 0 ? 1_800_000 : undefined

describe.skipIf(!canMakeSpeech)('a copy, measured by ffmpeg', () => {
  test.each(onlyDecoded)('measures the length and loudness of %s', async (name, given) => {
    const file = inFolder(name)
    await recordSpeech(file, { seconds, ...given })
    const [original, sound] = [await measure(file), await measureSound(samplesOf(file)())]
    expect(Math.abs(sound.loudness! - original.loudness)).toBeLessThan(0.3)
    expect(Math.abs(sound.seconds - original.seconds)).toBeLessThanOrEqual(0.06)
  })

  test.each<Recorded>([
    ...more,
    ['short.mp3', { seconds: 2, output: ['-b:a', '64k'] }],
    ['mpeg-2.mp3', { output: ['-ar', '22050', '-b:a', '64k'] }],
    [
      'joint.mp3',
      { filter: `volume=-3dB,${stereo}`, output: ['-ar', '48000', '-q:a', '2', '-joint_stereo', '1'] },
    ],
    ['quiet-24.wav', { filter: 'volume=-25dB', output: ['-c:a', 'pcm_s24le'] }],
    ['float-96k.wav', { filter: stereo, output: ['-ar', '96000', '-c:a', 'pcm_f32le'] }],
    ['law.wav', { output: ['-ar', '8000', '-c:a', 'pcm_alaw'] }],
    ['clipped.mp3', { filter: `volume=25dB,aformat=sample_fmts=s16,${stereo}`, output: ['-b:a', '192k'] }],
    ['left-only.wav', { filter: 'pan=stereo|c0=c0|c1=0*c0', output: ['-ar', '48000'] }],
    ['opposite.wav', { filter: 'pan=stereo|c0=c0|c1=-1*c0', output: ['-ar', '48000'] }],
    [
      'bangs.wav',
      { filter: "volume='if(lt(mod(t,1.5),0.02),12,0.2)':eval=frame", output: ['-c:a', 'pcm_s16le'] },
    ],
  ])(
    'the copy of %s meets loudness, peak and length',
    async (name, given) => {
      const file = inFolder(name)
      await recordSpeech(file, { seconds, ...given })
      const original = await measure(file)
      const { sound, copy, target } = await copied(file)
      expect(Math.abs(sound.loudness! - original.loudness)).toBeLessThan(0.3)
      const heard = await measure(target)
      expect(Math.abs(heard.loudness - copySound.loudness)).toBeLessThanOrEqual(0.3)
      expect(heard.truePeak).toBeLessThanOrEqual(copySound.truePeak + 0.1)
      expect(Math.abs(heard.seconds - original.seconds)).toBeLessThanOrEqual(0.06)
      // One channel, which has the voice, also of a recording with one silent or two opposite channels.
      expect(heard.channels).toHaveLength(1)
      expect(heard.channels[0]!.mean).toBeGreaterThan(-26)
      expect(heard.channels[0]!.mean).toBeLessThan(-14)
      expect(copy.bytes).toBe((await stat(target)).size)
      expect(copy.bytes).toBeLessThanOrEqual(copyBytesOf(original.seconds))
      // The server's own reader accepts it as complete; it counts whole frames, of 72 ms at 8 kHz.
      const facts = await readAudio(target)
      expect([facts.extension, Math.abs(facts.durationSeconds - original.seconds) < 0.3]).toEqual([
        'mp3',
        true,
      ])
    },
    timeout,
  )

  test.each([
    ['white noise', 'anoisesrc=r=44100:a=0.1:c=white:d=4:seed=1'],
    ['a hum', 'sine=r=48000:f=100:d=4'],
  ])('the copy of %s has the same loudness', async (name, source) => {
    const file = inFolder(`${name.replace(' ', '-')}.wav`)
    await recordSource(file, source)
    const { target } = await copied(file)
    expect(Math.abs((await measure(target)).loudness - copySound.loudness)).toBeLessThanOrEqual(0.3)
  })

  test('finds the true peak between samples', async () => {
    // A sine at a quarter of the rate whose samples all lie at 0.707 of its peak.
    const file = inFolder('between.wav')
    await recordSource(file, "aevalsrc='0.9*sin(2*PI*12000*t+PI/4)':s=48000:d=2", ['-c:a', 'pcm_f32le'])
    const { truePeak } = await measureSound(samplesOf(file)())
    expect(Math.abs(truePeak! - 20 * Math.log10(0.9))).toBeLessThan(0.15)
  })

  test('finds the same silences as ffmpeg', async () => {
    const file = inFolder('pauses.wav')
    const silent = 'between(t,10,13)+between(t,20,20.9)+between(t,31,36.5)'
    const filter = `volume='if(${silent},0.0005,0.5)':eval=frame`
    await recordSpeech(file, { seconds: 45, filter, output: ['-c:a', 'pcm_s16le'] })
    const { silences, seconds, peaks } = await measureSound(samplesOf(file)())
    const expected = (await silencesIn(file, { level: -52, seconds: 1.5 })).filter(
      ({ start, end }) => end - start >= 1.5,
    )
    const found = silencesOf(packSound({ seconds, peaks, silences }))
    expect(found).toHaveLength(expected.length)
    for (const [at, { start, end }] of found.entries()) {
      expect(Math.abs(start - expected[at]!.start)).toBeLessThan(0.15)
      expect(Math.abs(end - expected[at]!.end)).toBeLessThan(0.15)
    }
    expect(peaks).toHaveLength(800)
    const at = (second: number) => peaks[Math.floor((second / 45) * 800)]!
    expect([at(34) < 0.02, Math.max(...peaks)]).toEqual([true, 1])
  })

  test.each([
    ['quiet.wav', { filter: 'volume=-45dB', output: ['-c:a', 'pcm_s24le'] }, ['very_quiet']],
    ['loud.mp3', { filter: 'volume=30dB,aformat=sample_fmts=s16' }, ['clipped']],
    ['flat.wav', { filter: `volume=30dB,${stereo}`, output: ['-c:a', 'pcm_s16le'] }, ['clipped']],
    ['full.wav', { filter: 'volume=4dB', output: ['-c:a', 'pcm_s16le'] }, []],
    ['left.wav', { filter: 'pan=stereo|c0=c0|c1=0*c0' }, ['right_silent']],
    ['right.wav', { filter: 'pan=stereo|c0=0*c0|c1=c0' }, ['left_silent']],
    ['late.wav', { seconds: 40, filter: "volume='if(lt(t,12),0,0.5)':eval=frame" }, ['silent_start']],
    ['early.wav', { seconds: 40, filter: "volume='if(gt(t,27),0,0.5)':eval=frame" }, ['silent_end']],
    ['good.wav', { filter: 'volume=-6dB' }, []],
    ['hum.wav', { seconds: 20, filter: `volume=-6dB${withHum(50, -42)}` }, ['hum']],
    ['hum-100.mp3', { seconds: 20, filter: `volume=-6dB,aresample=44100${withHum(100, -34)}` }, ['hum']],
    ['faint-hum.wav', { seconds: 20, filter: `volume=-6dB${withHum(50, -75)}` }, []],
    ['note.wav', { seconds: 20, filter: `volume=-6dB${withHum(220, -30)}` }, []],
  ])('finds the faults of %s, as ffmpeg does', async (name, given, faults) => {
    await recordSpeech(inFolder(name), { seconds, ...given })
    const channels = await channelsOf(inFolder(name))
    const [left, right = left] = channels.map(({ mean }) => mean < -90)
    expect([faults.includes('left_silent'), faults.includes('right_silent')]).toEqual([left, right])
    expect(faults.includes('clipped')).toBe(channels.some(({ peak }) => peak > -0.1))
    expect((await measureSound(samplesOf(inFolder(name))())).faults).toEqual(faults)
  })

  test('a silent recording has no loudness', async () => {
    await recordSource(inFolder('nothing.wav'), 'anullsrc=r=44100:d=3')
    const { loudness, truePeak, faults } = await measureSound(samplesOf(inFolder('nothing.wav'))())
    expect([loudness, truePeak, faults]).toEqual([null, null, ['no_sound']])
  })
})

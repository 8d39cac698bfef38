import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Whether this machine can make speech and measure it; the continuous integration installs the programs. */
export const canMakeSpeech: boolean = await run('ffmpeg', ['-hide_banner', '-filters'])
  .then(({ stdout }) => / flite /.test(stdout))
  .catch(() => false)

const words =
  'In the beginning was the Word, and the Word was with God, and the Word was God. The same was in the beginning ' +
  'with God. All things were made by him, and without him was not anything made that was made.'

/** Whether this machine can read a file's own metadata. */
export const canProbe: boolean = await run('ffprobe', ['-version']).then(
  () => true,
  () => false,
)

/**
 * Makes a recording of a synthetic voice that repeats itself.
 *
 * @param filter applied to the mono voice, in ffmpeg's words
 * @param output arguments before the file, such as its codec
 */
export async function recordSpeech(
  file: string,
  {
    seconds = 8,
    filter = 'anull',
    output = [],
  }: { seconds?: number; filter?: string; output?: readonly string[] } = {},
): Promise<void> {
  const voice = `amovie=${await (voiceFile ??= makeVoice())},aloop=loop=-1:size=${48_000 * 10},atrim=end=${seconds},asetpts=N/SR/TB`
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', `${voice},${filter}`, ...output, file])
}

let voiceFile: Promise<string> | undefined

/** Makes the file of the voice, which lasts as long as the process: the synthesis takes longer than most recordings of it. */
async function makeVoice(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'voice-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'voice.wav')
  await recordSource(file, `flite=text='${words}':voice=rms,aresample=48000`, ['-c:a', 'pcm_f32le'])
  return file
}

/** Makes a recording from any source of ffmpeg's. */
export async function recordSource(
  file: string,
  source: string,
  output: readonly string[] = [],
): Promise<void> {
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...output, file])
}

/** ffmpeg's measures of a file, from one process: LUFS, dBTP, the seconds that a player plays, and each channel. */
export async function measure(
  file: string,
): Promise<{ loudness: number; truePeak: number; seconds: number; channels: ChannelLevels[] }> {
  const nowhere = ['-f', 'null', '-map', '0:a', '-']
  const loudness = ['-af', 'ebur128=peak=true:framelog=verbose', ...nowhere]
  const levels = ['-af', channelStatistics, ...nowhere]
  const { stdout, stderr } = await run(
    'ffmpeg',
    ['-hide_banner', '-nostats', '-i', file, ...loudness, ...levels, '-map', '0:a', ...playedSamples],
    { encoding: 'buffer', maxBuffer: 1 << 28 },
  )
  const said = stderr.toString()
  const summary = said.slice(said.lastIndexOf('Summary:'))
  return {
    loudness: Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]),
    truePeak: Number(/Peak:\s+(-?[\d.]+) dBFS/.exec(summary)?.[1]),
    seconds: secondsOf(stdout),
    channels: levelsOf(said),
  }
}

interface ChannelLevels {
  /** The highest sample, in dB. */
  peak: number
  /** In dB. */
  mean: number
}

const channelStatistics = 'astats=measure_overall=none:measure_perchannel=Peak_level+RMS_level'

/** The levels of each channel, as ffmpeg's astats counts them. */
export const channelsOf = async (file: string): Promise<ChannelLevels[]> =>
  levelsOf((await heard(file, channelStatistics)).stderr)

function levelsOf(statistics: string): ChannelLevels[] {
  const levels = (name: string) =>
    [...statistics.matchAll(new RegExp(`${name} level dB: (-?[\\d.]+|-inf)`, 'g'))].map(([, level]) =>
      level === '-inf' ? -Infinity : Number(level),
    )
  const means = levels('RMS')
  return levels('Peak').map((peak, at) => ({ peak, mean: means[at]! }))
}

/** The seconds that a player plays of a file, from a moment on. */
export async function playedSeconds(file: string, from = 0): Promise<number> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-ss', String(from), '-i', file, ...playedSamples], {
    encoding: 'buffer',
    maxBuffer: 1 << 28,
  })
  return secondsOf(stdout)
}

const playedSamples = ['-ac', '1', '-ar', '8000', '-f', 's16le', '-'] as const
const secondsOf = (samples: Buffer) => samples.length / 2 / 8_000

/** A hash of every sample of each file; fails if ffmpeg finds a fault in one. */
export async function soundOf(...files: string[]): Promise<string[]> {
  const inputs = files.flatMap((file) => ['-i', file])
  const decoded = files.flatMap((_, at) => ['-map', `${at}:a`, '-f', 'md5', '-'])
  const { stdout, stderr } = await run('ffmpeg', ['-v', 'error', ...inputs, ...decoded])
  if (stderr !== '') throw new Error(stderr)
  return stdout.trim().split('\n')
}

/** Silences that ffmpeg finds below a level in dB. */
export async function silencesIn(
  file: string,
  { level, seconds }: { level: number; seconds: number },
): Promise<{ start: number; end: number }[]> {
  const { stderr } = await heard(file, `silencedetect=noise=${level}dB:d=${seconds}`)
  const found = (name: string) =>
    [...stderr.matchAll(new RegExp(`${name}: (-?[\\d.]+)`, 'g'))].map(([, at]) => Number(at))
  const ends = found('silence_end')
  return found('silence_start').map((start, at) => ({ start: Math.max(0, start), end: ends[at] ?? Infinity }))
}

/** The output of a filter of ffmpeg for a file. */
const heard = (file: string, filter: string) =>
  run('ffmpeg', ['-hide_banner', '-nostats', '-i', file, '-af', filter, '-f', 'null', '-'])

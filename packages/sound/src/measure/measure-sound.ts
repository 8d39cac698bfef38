import type { SoundDoubt, SoundFault } from '@fellowship/schema/copies/copies.contract'
import { silentEnds } from '@fellowship/schema/copies/copies.limits'
import type { PcmChunk } from '../read/pcm.ts'
import { humMeter, type HumMeter } from './hum.ts'
import { integratedLoudness, powerMeter, type PowerMeter } from './loudness.ts'
import { halver, halvings, monoOf, type MonoPlan } from './mono.ts'
import { soundWindows, type SoundWindows } from './windows.ts'
import { decibels, levelOf, truePeakMeter } from './true-peak.ts'

/** Measurements of a recording, and the plan for a mono copy of it. */
export interface MeasuredSound {
  readonly seconds: number
  readonly sampleRate: number
  readonly channels: number
  /** LUFS; null if the recording is silent. */
  readonly loudness: number | null
  /** dBTP; null if the recording is silent. */
  readonly truePeak: number | null
  /** 0 to 1, evenly over the recording. */
  readonly peaks: readonly number[]
  /** Starts and ends in seconds. */
  readonly silences: readonly (readonly [number, number])[]
  readonly faults: readonly SoundFault[]
  readonly mono: MonoPlan
}

const soundLimits = {
  /** Shortest recording, in seconds, whose loudness is defined; a shorter one is silent by its peak. */
  shortest: 0.4,
  peaks: 800,
  /** Shortest silence, in seconds. */
  silence: 1.5,
  /** A level this many dB below the loudness counts as silence. */
  silenceBelow: 26,
  /** No level above this counts as silence, in dB. */
  quietest: -60,
  veryQuiet: -36,
  /** A sample of this amplitude counts as clipped, and a recording if this share of its samples is. */
  clippedLevel: 0.985,
  clippedShare: 0.0005,
  /** Hum is audible in every pause if it is less than this many dB below the loudness. */
  humBelow: 32,
  quietestHum: -62,
} as const

/** Measures a recording while it is decoded. Memory grows by a few bytes per second of audio. */
export async function measureSound(chunks: AsyncIterable<PcmChunk>): Promise<MeasuredSound> {
  const first = await meters(chunks)
  if (!first) throw new Error('A stream of samples without samples.')
  const { sampleRate, windows, levels, peaks, mono, hum } = first
  const seconds = levels.samples / sampleRate
  const loudness = integratedLoudness(levels.powers.map(({ tenths }) => tenths))
  const truePeak = Math.max(...peaks.map(({ peak }) => peak))
  const silences =
    loudness === null
      ? []
      : windows.quiet(
          levelOf(Math.max(soundLimits.quietest, loudness - soundLimits.silenceBelow)),
          soundLimits.silence,
        )
  const sideLoudness = levels.powers.map(({ tenths }) => integratedLoudness([tenths]))
  return {
    seconds,
    sampleRate,
    channels: levels.powers.length,
    loudness,
    truePeak: truePeak === 0 ? null : decibels(truePeak),
    peaks: windows.peaks(soundLimits.peaks),
    silences,
    faults: faultsOf({
      loudness,
      sideLoudness,
      doubts: doubtsOf(levels),
      hum: hum.level(),
      silences,
      seconds,
    }),
    mono: monoPlan(),
  }

  function monoPlan(): MonoPlan {
    const [left = null, right] = sideLoudness
    const side = (from: 'left' | 'right', at: number) => ({
      from,
      loudness: sideLoudness[at]!,
      tenths: levels.powers[at]!.tenths,
      windows: windows.highest,
    })
    const mean = integratedLoudness([mono.power.tenths])
    const louder = Math.max(levelOr(left), levelOr(right ?? null))
    // The mean is 6 LU lower if only one side has the voice, and nearly silent if the polarities are opposite.
    if (right !== undefined && levelOr(mean) < louder - 5.7) {
      return levelOr(right) > levelOr(left) ? side('right', 1) : side('left', 0)
    }
    return { from: 'both', loudness: mean, tenths: mono.power.tenths, windows: mono.windows.highest }
  }
}

/**
 * The faults for which a recording is asked about before it is published. It is decoded once, in a third of the time of
 * `measureSound`, which finds the same ones.
 */
export async function soundDoubts(chunks: AsyncIterable<PcmChunk>): Promise<SoundDoubt[]> {
  let levels: Levels | undefined
  for await (const chunk of chunks) addLevels((levels ??= levelsOf(chunk)), chunk)
  if (!levels) throw new Error('A stream of samples without samples.')
  return doubtsOf(levels)
}

/** The measurements that decide about doubts. */
interface Levels {
  readonly sampleRate: number
  samples: number
  clipped: number
  highest: number
  /** One for each channel. */
  powers: PowerMeter[]
}

const levelsOf = ({ sampleRate, channels }: PcmChunk): Levels => ({
  sampleRate,
  samples: 0,
  clipped: 0,
  highest: 0,
  powers: channels.map(() => powerMeter(sampleRate)),
})

function addLevels(levels: Levels, { channels }: PcmChunk): void {
  levels.samples += channels[0]!.length
  levels.clipped += Math.max(...channels.map(countClipped))
  // The loudness of more than a moment does not need it.
  if (levels.samples <= levels.sampleRate) levels.highest = Math.max(levels.highest, ...channels.map(peakOf))
  // If the frames change from stereo to mono, players use the one channel for both sides.
  for (const [at, power] of levels.powers.entries()) power.add(channels[at] ?? channels[0]!)
}

function doubtsOf({ sampleRate, samples, clipped, highest, powers }: Levels): SoundDoubt[] {
  const isQuiet = integratedLoudness(powers.map(({ tenths }) => tenths)) === null
  const isMoment = samples < soundLimits.shortest * sampleRate
  if (isQuiet && (!isMoment || highest < levelOf(soundLimits.quietest))) return ['no_sound']
  return clipped / samples > soundLimits.clippedShare ? ['clipped'] : []
}

interface Meters {
  sampleRate: number
  levels: Levels
  hum: HumMeter
  windows: SoundWindows
  peaks: ReturnType<typeof truePeakMeter>[]
  /** The mean of the channels at the rate of a copy. */
  mono: { halve: (samples: Float32Array) => Float32Array; power: PowerMeter; windows: SoundWindows }
}

async function meters(chunks: AsyncIterable<PcmChunk>): Promise<Meters | undefined> {
  let found: Meters | undefined
  for await (const chunk of chunks) {
    const { sampleRate, channels } = chunk
    found ??= {
      sampleRate,
      levels: levelsOf(chunk),
      hum: humMeter(sampleRate),
      windows: soundWindows(sampleRate),
      peaks: channels.map(() => truePeakMeter(sampleRate)),
      mono: monoMeters(sampleRate),
    }
    addLevels(found.levels, chunk)
    found.windows.add(channels)
    for (const [at, peak] of found.peaks.entries()) peak.add(channels[at] ?? channels[0]!)
    const both = monoOf(chunk, 'both')
    found.hum.add(both)
    const mean = found.mono.halve(both)
    found.mono.power.add(mean)
    found.mono.windows.add([mean])
  }
  return found
}

function monoMeters(sampleRate: number): Meters['mono'] {
  const copyRate = sampleRate / 2 ** halvings(sampleRate)
  return { halve: halver(sampleRate), power: powerMeter(copyRate), windows: soundWindows(copyRate) }
}

function peakOf(samples: Float32Array): number {
  let peak = 0
  for (let at = 0; at < samples.length; at++) peak = Math.max(peak, Math.abs(samples[at]!))
  return peak
}

function countClipped(samples: Float32Array): number {
  let count = 0
  for (let at = 0; at < samples.length; at++) if (Math.abs(samples[at]!) >= soundLimits.clippedLevel) count++
  return count
}

function faultsOf(facts: {
  loudness: number | null
  sideLoudness: readonly (number | null)[]
  doubts: readonly SoundDoubt[]
  hum: number | undefined
  silences: MeasuredSound['silences']
  seconds: number
}): SoundFault[] {
  const { loudness, sideLoudness, doubts, hum, silences, seconds } = facts
  if (loudness === null) return [...doubts]
  const faults: SoundFault[] = []
  if (loudness < soundLimits.veryQuiet) faults.push('very_quiet')
  if (doubts.includes('clipped')) faults.push('clipped')
  const [left, right] = sideLoudness
  if (right !== undefined) {
    const difference = levelOr(left!) - levelOr(right)
    if (difference > 30) faults.push('right_silent')
    if (difference < -30) faults.push('left_silent')
  }
  if (hum !== undefined && hum > Math.max(soundLimits.quietestHum, loudness - soundLimits.humBelow))
    faults.push('hum')
  const edge = (at: number) => silences.find(([start, end]) => start <= at && at <= end)
  const [start = 0, startEnd = 0] = edge(0.02) ?? []
  if (startEnd - start >= silentEnds.fault) faults.push('silent_start')
  const [endStart = 0, end = 0] = edge(seconds - 0.05) ?? []
  if (end - endStart >= silentEnds.fault && endStart > 0.05) faults.push('silent_end')
  return faults
}

const levelOr = (loudness: number | null) => loudness ?? -120

import { Float64List, integratedLoudness, powerMeter } from '../measure/loudness.ts'
import { halver, halvings, monoOf, type MonoPlan } from '../measure/mono.ts'
import { decibels, levelOf, truePeakMeter } from '../measure/true-peak.ts'
import { joined } from '../read/bytes.ts'
import type { PcmChunk } from '../read/pcm.ts'
import type { Mp3Encoder } from './encode-mp3.ts'
import { limiter, releaseMs, type Limiter } from './limiter.ts'
import { encoderDelay, infoFrame, infoFrameBytes, shapeOf, type Mp3Shape } from './mp3-info-frame.ts'

/** Target sound of a small copy. */
export const copySound = {
  kilobits: 32,
  /** LUFS. */
  loudness: -19,
  /** dBTP at most. */
  truePeak: -1.5,
} as const

/** Measurements of the decoded copy. */
export interface MeasuredCopy {
  readonly seconds: number
  readonly loudness: number | null
  readonly truePeak: number | null
}

/** Upper estimate of the bytes of a copy: the frames at its ends are long if the sample rate is low. */
export const copyBytesOf = (seconds: number): number => Math.ceil(seconds * 125 * copySound.kilobits) + 2_000

/** Input and output of a small copy. */
interface CopyPort {
  /** The recording from its start, each time it is called. */
  readonly chunks: () => AsyncIterable<PcmChunk>
  readonly encoder: () => Promise<Mp3Encoder>
  /** Overwrites a part of the copy. */
  readonly write: (bytes: Uint8Array, at: number) => Promise<unknown>
  /** Ends the writing of the copy, which has this many bytes. */
  readonly finish: (bytes: number) => Promise<void>
  /** Decodes the copy. */
  readonly copy: () => AsyncIterable<PcmChunk>
}

/**
 * Writes a small mono MP3 with one gain throughout; only peaks over the limit are reduced. The copy is decoded and measured:
 * if the encoder lost loudness or overshot a peak, another round compensates for it.
 */
export async function makeSmallCopy(port: CopyPort, plan: MonoPlan): Promise<MeasuredCopy> {
  const { from } = plan
  const ceiling = copySound.truePeak - usualOvershoot
  let sound: CopySound = { from, gain: gainOf(plan, ceiling) + usualLoss, ceiling }
  for (let round = 1; ; round++) {
    await encode(port, sound)
    const made = await measureCopy(port.copy())
    const change = gainTo(made.loudness)
    const excess = (made.truePeak ?? -100) - copySound.truePeak
    if (round === mostRounds || (Math.abs(change) <= 0.25 && excess <= 0)) return made
    sound = {
      from,
      gain: sound.gain + change,
      ceiling: sound.ceiling - (excess > 0 ? excess + 0.1 : 0),
    }
  }
}

/** A second round runs when the encoder removed much of the sound (applause, noise) or overshot a peak. */
const mostRounds = 4
/** The usual rise of peaks and loss of loudness of encoded speech, in dB. */
const usualOvershoot = 0.5
const usualLoss = 0.45

/** Processing of the samples: gain in dB, and the highest level in dBFS. */
interface CopySound {
  readonly from: MonoPlan['from']
  readonly gain: number
  readonly ceiling: number
}

/** Decibels to the target loudness, at most forty: more would only amplify noise. */
const gainTo = (loudness: number | null): number =>
  loudness === null ? 0 : Math.min(mostGain, copySound.loudness - loudness)

const mostGain = 40

/** The gain that reaches the target loudness when the limiter reduces peaks. */
function gainOf({ tenths, windows, loudness }: MonoPlan, ceiling: number): number {
  let [low, high] = [Math.min(mostGain, gainTo(loudness)), mostGain]
  const highest = levelOf(ceiling)
  for (let step = 0; step < 12 && high - low > 0.01; step++) {
    const gain = (low + high) / 2
    const limited = new Float64List()
    for (let tenth = 0; tenth < tenths.length; tenth++) {
      const power = tenths.at(tenth) * levelOf(gain) ** 2
      limited.push(
        power * keptPower(windows, tenth / tenths.length, 1 / tenths.length, highest / levelOf(gain)),
      )
    }
    if ((integratedLoudness([limited]) ?? -100) < copySound.loudness) low = gain
    else high = gain
  }
  return low
}

/** The share of power that remains of a stretch when its peaks are limited to a level. */
function keptPower(windows: Float64List, start: number, length: number, level: number): number {
  const from = Math.floor(start * windows.length)
  const to = Math.max(from + 1, Math.floor((start + length) * windows.length))
  let kept = 0
  for (let at = from; at < to; at++) {
    let gain = 1
    for (let back = 0; back < release.length && back <= at; back++) {
      const peak = windows.at(Math.min(at - back, windows.length - 1))
      if (peak > level) gain = Math.min(gain, 1 - (1 - level / peak) * release[back]!)
    }
    kept += gain ** 2
  }
  return kept / (to - from)
}

/** The remaining reduction in the windows after a peak, while the limiter releases. */
const release = [0, 1, 2, 3].map((windows) => Math.exp((-20 * windows) / releaseMs))

/** The samples of a copy before they are encoded. */
async function* copySamples(
  chunks: AsyncIterable<PcmChunk>,
  { from, gain, ceiling }: CopySound,
): AsyncGenerator<{ sampleRate: number; samples: Float32Array }> {
  const factor = levelOf(gain)
  let limit: Limiter | undefined
  let halve = (samples: Float32Array) => samples
  let rate = 0
  for await (const chunk of chunks) {
    if (!limit) {
      rate = chunk.sampleRate / 2 ** halvings(chunk.sampleRate)
      halve = halver(chunk.sampleRate)
      limit = limiter(rate, levelOf(ceiling))
    }
    // A copy, since the samples belong to the decoder.
    const samples = halve(monoOf(chunk, from)).slice()
    for (let at = 0; at < samples.length; at++) samples[at]! *= factor
    yield { sampleRate: rate, samples: limit.push(samples) }
  }
  if (limit) yield { sampleRate: rate, samples: limit.push(new Float32Array(0), true) }
}

async function encode(port: CopyPort, sound: CopySound): Promise<void> {
  const encoder = await port.encoder()
  const out = copyFrames(port)
  let count = 0
  let rate = 0
  for await (const { sampleRate, samples } of copySamples(port.chunks(), sound)) {
    if (rate === 0) encoder.configure({ sampleRate, channels: 1, bitrate: copySound.kilobits })
    rate = sampleRate
    count += samples.length
    await out.write(encoder.encode([samples]))
  }
  await out.write(encoder.finalize())
  await out.finish(count / rate)
}

/** Writes the frames behind a gap for the info frame, which is written last. */
function copyFrames({ write, finish }: CopyPort) {
  let shape: Mp3Shape | undefined
  let at = 0
  let frames = 0
  /** Position of the next frame in `waiting`, the bytes that were not written yet. */
  let nextFrame = 0
  let waiting = new Uint8Array(0)
  return {
    async write(made: Uint8Array): Promise<void> {
      if (made.length === 0) return
      waiting = joined([waiting, made])
      if (!shape) {
        if (waiting.length < 4) return
        shape = shapeOf(waiting.slice(0, 4))
        at = infoFrameBytes(shape)
      }
      while (nextFrame + 4 <= waiting.length) {
        nextFrame += shapeOf(waiting.subarray(nextFrame, nextFrame + 4)).bytes
        frames += 1
      }
      const whole = waiting.subarray(0, Math.min(nextFrame, waiting.length))
      await write(whole, at)
      at += whole.length
      nextFrame -= whole.length
      waiting = waiting.slice(whole.length)
    },
    async finish(seconds: number): Promise<void> {
      if (!shape) throw new Error('The encoder made nothing.')
      const samples = Math.round(seconds * shape.sampleRate)
      const left = frames * shape.samples - encoderDelay - samples
      const padding = Math.max(0, Math.min(4_095, left))
      const frame = infoFrame(shape, { frames, bytes: at, delay: encoderDelay, padding })
      await write(frame, 0)
      await finish(at)
    },
  }
}

async function measureCopy(chunks: AsyncIterable<PcmChunk>): Promise<MeasuredCopy> {
  let power: ReturnType<typeof powerMeter> | undefined
  let peak: ReturnType<typeof truePeakMeter> | undefined
  let samples = 0
  let rate = 1
  for await (const { sampleRate, channels } of chunks) {
    power ??= powerMeter(sampleRate)
    peak ??= truePeakMeter(sampleRate)
    power.add(channels[0]!)
    peak.add(channels[0]!)
    samples += channels[0]!.length
    rate = sampleRate
  }
  return {
    seconds: samples / rate,
    loudness: power ? integratedLoudness([power.tenths]) : null,
    truePeak: peak && peak.peak > 0 ? decibels(peak.peak) : null,
  }
}

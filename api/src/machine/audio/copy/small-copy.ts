import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { createMp3Encoder } from 'wasm-media-encoders'
import { halvings } from '@fellowship/schema/audio/measure/halve-rate'
import { limiter, releaseMs, type Limiter } from './limiter.ts'
import { Float64List, integratedLoudness, powerMeter } from '@fellowship/schema/audio/measure/loudness'
import { halver, monoOf, type MonoPlan } from '@fellowship/schema/audio/measure/measure-sound'
import { encoderDelay, infoFrame, infoFrameBytes, shapeOf, type Mp3Shape } from './mp3-info-frame.ts'
import { pcmStream } from './pcm-stream.ts'
import type { PcmChunk } from '@fellowship/schema/audio/measure/pcm'
import { decibels, levelOf, truePeakMeter } from '@fellowship/schema/audio/measure/true-peak'

/** How a small copy sounds. */
export const copySound = {
  kilobits: 32,
  /** LUFS. */
  loudness: -19,
  /** dBTP at most. */
  truePeak: -1.5,
} as const

/** A copy that was written, as a decoder hears it. */
export interface SmallCopy {
  readonly bytes: number
  readonly sha256: string
  readonly crc32: number
  readonly seconds: number
  readonly loudness: number | null
  readonly truePeak: number | null
}

/** Bytes of a copy of so many seconds, a little too many: the frames at its ends are long at a low sample rate. */
export const copyBytesOf = (seconds: number): number => Math.ceil(seconds * 125 * copySound.kilobits) + 2_000

/**
 * Writes a small MP3 of one channel with one gain throughout; only peaks over the limit are turned down. The copy is
 * decoded again and measured: the encoder leaves out high notes and overshoots peaks, which the next round allows for.
 *
 * @param chunks the recording from its start, each time it is called
 */
export async function makeSmallCopy(
  chunks: () => AsyncIterable<PcmChunk>,
  plan: MonoPlan,
  target: string,
): Promise<SmallCopy> {
  const { from } = plan
  const ceiling = copySound.truePeak - usualOvershoot
  let sound: CopySound = { from, gain: gainOf(plan, ceiling) + usualLoss, ceiling }
  for (let round = 1; ; round++) {
    await encode(chunks(), sound, target)
    const made = await readCopy(target)
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

/** A second one where the encoder left out much of the sound (applause, noise) or overshot a peak. */
const mostRounds = 4
/** What encoding adds to peaks and takes from the loudness of speech, in dB. */
const usualOvershoot = 0.5
const usualLoss = 0.45

/** How the samples of a copy are made: decibels of gain, and the level that none exceeds, in dBFS. */
interface CopySound {
  readonly from: MonoPlan['from']
  readonly gain: number
  readonly ceiling: number
}

/** Decibels to the wanted loudness; more than forty would bring out nothing but noise. */
const gainTo = (loudness: number | null): number =>
  loudness === null ? 0 : Math.min(mostGain, copySound.loudness - loudness)

const mostGain = 40

/** The gain that comes to the wanted loudness when peaks over the ceiling are turned down, which takes loudness. */
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

/** The share of power that is left of a stretch when its peaks are turned down to a level. */
function keptPower(windows: Float64List, start: number, length: number, level: number): number {
  const from = Math.floor(start * windows.length)
  const to = Math.max(from + 1, Math.floor((start + length) * windows.length))
  let kept = 0
  for (let at = from; at < to; at++) {
    let gain = 1
    for (let back = 0; back < lettingGo.length && back <= at; back++) {
      const peak = windows.at(Math.min(at - back, windows.length - 1))
      if (peak > level) gain = Math.min(gain, 1 - (1 - level / peak) * lettingGo[back]!)
    }
    kept += gain ** 2
  }
  return kept / (to - from)
}

/** What is left of a reduction in the windows after its peak, as the limiter lets go. */
const lettingGo = [0, 1, 2, 3].map((windows) => Math.exp((-20 * windows) / releaseMs))

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
    // The decoder's own samples stay as they are.
    const samples = halve(monoOf(chunk, from)).slice()
    for (let at = 0; at < samples.length; at++) samples[at]! *= factor
    yield { sampleRate: rate, samples: limit.push(samples) }
  }
  if (limit) yield { sampleRate: rate, samples: limit.push(new Float32Array(0), true) }
}

async function encode(chunks: AsyncIterable<PcmChunk>, sound: CopySound, target: string): Promise<void> {
  const encoder = await createMp3Encoder()
  const file = await open(target, 'r+')
  try {
    await file.truncate(0)
    const out = copyFile(file)
    let count = 0
    let rate = 0
    for await (const { sampleRate, samples } of copySamples(chunks, sound)) {
      if (rate === 0) encoder.configure({ sampleRate, channels: 1, bitrate: copySound.kilobits })
      rate = sampleRate
      count += samples.length
      await out.write(encoder.encode([samples]))
    }
    await out.write(encoder.finalize())
    await out.finish(count / rate)
  } finally {
    await file.close()
  }
}

/** Frames behind the room for the frame that describes them, which is written last. */
function copyFile(file: FileHandle) {
  let shape: Mp3Shape | undefined
  let at = 0
  let frames = 0
  /** Bytes of a frame that were not written yet, and where the next frame begins. */
  let nextFrame = 0
  let waiting = Buffer.alloc(0)
  return {
    async write(made: Uint8Array): Promise<void> {
      if (made.length === 0) return
      waiting = Buffer.concat([waiting, made])
      if (!shape) {
        if (waiting.length < 4) return
        shape = shapeOf(Buffer.from(waiting.subarray(0, 4)))
        at = infoFrameBytes(shape)
      }
      while (nextFrame + 4 <= waiting.length) {
        nextFrame += frameBytes(waiting, nextFrame, shape)
        frames += 1
      }
      const whole = waiting.subarray(0, Math.min(nextFrame, waiting.length))
      await file.write(whole, 0, whole.length, at)
      at += whole.length
      nextFrame -= whole.length
      waiting = Buffer.from(waiting.subarray(whole.length))
    },
    async finish(seconds: number): Promise<void> {
      if (!shape) throw new Error('The encoder made nothing.')
      const samples = Math.round(seconds * shape.sampleRate)
      const left = frames * shape.samplesPerFrame - encoderDelay - samples
      const padding = Math.max(0, Math.min(4_095, left))
      const frame = infoFrame(shape, { frames, bytes: at, delay: encoderDelay, padding })
      await file.write(frame, 0, frame.length, 0)
      await file.datasync()
    },
  }
}

function frameBytes(bytes: Buffer, at: number, { sampleRate, samplesPerFrame }: Mp3Shape): number {
  const padding = (bytes[at + 2]! >> 1) & 1
  return Math.floor(((samplesPerFrame / 8) * copySound.kilobits * 1_000) / sampleRate) + padding
}

async function readCopy(path: string): Promise<SmallCopy> {
  let power: ReturnType<typeof powerMeter> | undefined
  let peak: ReturnType<typeof truePeakMeter> | undefined
  let samples = 0
  let rate = 1
  for await (const { sampleRate, channels } of pcmStream(path, 'mp3')) {
    power ??= powerMeter(sampleRate)
    peak ??= truePeakMeter(sampleRate)
    power.add(channels[0]!)
    peak.add(channels[0]!)
    samples += channels[0]!.length
    rate = sampleRate
  }
  return {
    ...(await hashesOf(path)),
    seconds: samples / rate,
    loudness: power ? integratedLoudness([power.tenths]) : null,
    truePeak: peak && peak.peak > 0 ? decibels(peak.peak) : null,
  }
}

async function hashesOf(path: string): Promise<Pick<SmallCopy, 'bytes' | 'sha256' | 'crc32'>> {
  const handle = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    let crc = 0
    let bytes = 0
    for await (const chunk of handle.createReadStream()) {
      hash.update(chunk as Buffer)
      crc = crc32(chunk as Buffer, crc)
      bytes += (chunk as Buffer).length
    }
    return { bytes, sha256: hash.digest('hex'), crc32: crc >>> 0 }
  } finally {
    await handle.close().catch(() => undefined)
  }
}

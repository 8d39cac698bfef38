import { joined, latin, viewOf, type Part, type RecordingBytes, type Stretch } from '../read/bytes.ts'
import { wavChannels, type WavFormat, type WavSound } from '../read/wav.ts'

const tags: Readonly<Record<string, number>> = { pcm: 1, float: 3, alaw: 6, mulaw: 7 }

/** The head of a WAV whose sound follows (RIFF, Microsoft and IBM 1991). */
export function wavHead(
  { kind, channels, sampleRate, bytesPerSample }: Omit<WavFormat, 'bytesPerSecond' | 'isMisleading'>,
  soundBytes: number,
): Uint8Array<ArrayBuffer> {
  const format = new Uint8Array(16)
  const view = viewOf(format)
  view.setUint16(0, tags[kind] ?? 1, true)
  view.setUint16(2, channels, true)
  view.setUint32(4, sampleRate, true)
  view.setUint32(8, sampleRate * channels * bytesPerSample, true)
  view.setUint16(12, channels * bytesPerSample, true)
  view.setUint16(14, bytesPerSample * 8, true)
  const chunk = (name: string, bytes: number) => {
    const head = new Uint8Array(8)
    head.set(latin(name))
    viewOf(head).setUint32(4, bytes, true)
    return head
  }
  const riffBytes = 4 + 8 + format.length + 8 + soundBytes + (soundBytes % 2)
  return joined([
    chunk('RIFF', riffBytes),
    latin('WAVE'),
    chunk('fmt ', 16),
    format,
    chunk('data', soundBytes),
  ])
}

/** Samples of a file under a head that is true. */
export const plainWav = (format: WavFormat, sound: Stretch): Part[] => {
  const bytes = sound.to - sound.from
  return [wavHead(format, bytes), sound, new Uint8Array(bytes % 2)]
}

/** Frames that are mixed at once. */
const stepFrames = 1 << 14

/**
 * A WAV of 24 bits and two channels for browsers, of samples that they do not play: 64-bit float, or more than eight channels.
 * Channels without a signal are left out, so that one microphone among 32 channels stays as loud as it was. Odd channels go to
 * the left, even ones to the right.
 *
 * @returns the new file in pieces
 */
export async function* mixedWav(recording: RecordingBytes, wav: WavSound): AsyncGenerator<Uint8Array> {
  const { sampleRate, channels } = wav.format
  const used = await usedChannels(recording, wav)
  const left = used.filter((channel) => channel % 2 === 0)
  const right = used.filter((channel) => channel % 2 === 1)
  const sides = channels === 1 ? [[0]] : [left.length > 0 ? left : right, right.length > 0 ? right : left]
  const frames = (wav.end - wav.start) / (channels * wav.format.bytesPerSample)
  const bytes = frames * sides.length * 3
  yield wavHead({ kind: 'pcm', channels: sides.length, sampleRate, bytesPerSample: 3 }, bytes)
  for await (const samples of samplesOf(recording, wav)) {
    const length = samples[0]!.length
    const out = new Uint8Array(length * sides.length * 3)
    for (const [at, side] of sides.entries()) {
      for (let frame = 0; frame < length; frame++) {
        let sum = 0
        for (const channel of side) sum += samples[channel]![frame]!
        const level = Math.max(-1, Math.min(1, sum / side.length))
        const value = Math.round(level < 0 ? level * 2 ** 23 : level * (2 ** 23 - 1))
        const to = (frame * sides.length + at) * 3
        out[to] = value
        out[to + 1] = value >> 8
        out[to + 2] = value >> 16
      }
    }
    yield out
  }
  yield new Uint8Array(bytes % 2)
}

/** -60 dBFS. */
const signal = 0.001

async function usedChannels(recording: RecordingBytes, wav: WavSound): Promise<number[]> {
  const peaks = Array.from({ length: wav.format.channels }, () => 0)
  for await (const samples of samplesOf(recording, wav)) {
    for (const [channel, values] of samples.entries()) {
      for (const value of values) peaks[channel] = Math.max(peaks[channel]!, Math.abs(value))
    }
  }
  const used = [...peaks.keys()].filter((channel) => peaks[channel]! > signal)
  return used.length > 0 ? used : [...peaks.keys()]
}

async function* samplesOf(
  { read }: RecordingBytes,
  { format, start, end }: WavSound,
): AsyncGenerator<Float32Array[]> {
  const frame = format.channels * format.bytesPerSample
  // A read returns at most a window of bytes.
  const step = Math.max(1, Math.min(stepFrames, Math.floor(largestRead / frame))) * frame
  for (let at = start; at < end; at += step) {
    const bytes = await read(at, Math.min(step, end - at))
    yield wavChannels(bytes, Math.floor(bytes.length / frame), format, format.channels)
  }
}

const largestRead = 1 << 19

import type { RecordingBytes } from '../read/bytes.ts'
import { wavChannels, type WavSound } from '../read/wav.ts'

/** An encoder as wasm-media-encoders makes it. The bytes that it returns are its own memory, which it reuses. */
export interface Mp3Encoder {
  configure(shape: { sampleRate: number; channels: 1 | 2; bitrate: 32 | 64 | 96 }): void
  encode(samples: readonly Float32Array[]): Uint8Array
  finalize(): Uint8Array
}

/** kbit/s: speech and a hymn with a piano are clear at it. */
const kilobits = { 1: 64, 2: 96 } as const

const channelsOf = ({ format }: WavSound) => (format.channels === 1 ? 1 : 2)

/** Bytes of the MP3 that `encodeWav` makes of it, give or take a frame. */
export const smallerBytes = (wav: WavSound): number =>
  Math.ceil(wav.seconds * kilobits[channelsOf(wav)] * 125)

/** Bytes of the file that are read at once. */
const stepBytes = 4 * 1024 * 1024
const stepFrames = 64 * 1024

/**
 * Makes an MP3 of a WAV, piece by piece. Of more than two channels the first two are taken.
 *
 * @param onShare told after each piece how much is done, from 0 to 1
 */
export async function encodeWav(
  { read }: RecordingBytes,
  wav: WavSound,
  encoder: Mp3Encoder,
  onShare: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const { format, start, end } = wav
  const channels = channelsOf(wav)
  // The encoder chooses the sample rate that is best at this size; MP3 has none above 48 kHz.
  encoder.configure({ channels, sampleRate: format.sampleRate, bitrate: kilobits[channels] })
  const frameBytes = format.channels * format.bytesPerSample
  const step = stepBytes - (stepBytes % frameBytes)
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let at = start; at < end; at += step) {
    const bytes = await read(at, Math.min(step, end - at))
    const frames = Math.floor(bytes.length / frameBytes)
    const sound = wavChannels(bytes, frames, format)
    for (let frame = 0; frame < frames; frame += stepFrames) {
      parts.push(
        new Uint8Array(encoder.encode(sound.map((samples) => samples.subarray(frame, frame + stepFrames)))),
      )
    }
    onShare((at + frames * frameBytes - start) / (end - start))
  }
  parts.push(new Uint8Array(encoder.finalize()))
  return parts
}

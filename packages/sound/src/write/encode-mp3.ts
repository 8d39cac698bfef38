import type { RecordingBytes } from '../read/bytes.ts'
import { wavChannels, type WavSound } from '../read/wav.ts'

/** An encoder of wasm-media-encoders. It returns views of its own memory, which it reuses. */
export interface Mp3Encoder {
  configure(shape: { sampleRate: number; channels: 1 | 2; bitrate: 32 | 64 | 96 }): void
  encode(samples: readonly Float32Array[]): Uint8Array
  finalize(): Uint8Array
}

/** kbit/s by channels: speech and a hymn with a piano stay clear. */
const kilobits = { 1: 64, 2: 96 } as const

const channelsOf = ({ format }: WavSound) => (format.channels === 1 ? 1 : 2)

/** Bytes of the MP3 that `encodeWav` returns, give or take a frame. */
export const smallerBytes = (wav: WavSound): number =>
  Math.ceil(wav.seconds * kilobits[channelsOf(wav)] * 125)

/** Bytes per read. */
const stepBytes = 4 * 1024 * 1024
const stepFrames = 64 * 1024

/**
 * Encodes a WAV as MP3, piece by piece. If there are more than two channels, the first two are used.
 *
 * @param onShare called after each piece with the share that is done, from 0 to 1
 */
export async function encodeWav(
  { read }: RecordingBytes,
  wav: WavSound,
  encoder: Mp3Encoder,
  onShare: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const { format, start, end } = wav
  const channels = channelsOf(wav)
  // The encoder resamples if necessary: MP3 has no sample rate above 48 kHz.
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

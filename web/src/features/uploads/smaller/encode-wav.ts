import { wavChannels } from '@fellowship/schema/audio/wav'
import type { createMp3Encoder } from 'wasm-media-encoders'
import type { WavFile } from './wav-file.ts'

export type Mp3Encoder = Awaited<ReturnType<typeof createMp3Encoder>>

/** kbit/s: speech and a hymn with a piano are clear at it. */
const kilobits = { 1: 64, 2: 96 } as const

const channelsOf = ({ format }: WavFile) => (format.channels === 1 ? 1 : 2)

/** Bytes of the MP3 that `encodeWav` makes of it, give or take a frame. */
export const smallerBytes = (wav: WavFile): number => Math.ceil(wav.seconds * kilobits[channelsOf(wav)] * 125)

/** Bytes of the file that are read at once. */
const stepBytes = 4 * 1024 * 1024
const stepFrames = 64 * 1024

/**
 * Makes an MP3 of a WAV, piece by piece. Of more than two channels the first two are taken.
 *
 * @param onShare told after each piece how much is done, from 0 to 1
 */
export async function encodeWav(
  file: Blob,
  wav: WavFile,
  encoder: Mp3Encoder,
  onShare: (share: number) => void,
): Promise<Blob> {
  const { format, start, end } = wav
  const channels = channelsOf(wav)
  // The encoder chooses the sample rate that is best at this size; MP3 has none above 48 kHz.
  encoder.configure({ channels, sampleRate: format.sampleRate, bitrate: kilobits[channels] })
  const frameBytes = format.channels * format.bytesPerSample
  const step = stepBytes - (stepBytes % frameBytes)
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let at = start; at < end; at += step) {
    const bytes = new Uint8Array(await file.slice(at, Math.min(at + step, end)).arrayBuffer())
    const frames = Math.floor(bytes.length / frameBytes)
    const sound = wavChannels(bytes, frames, format)
    for (let frame = 0; frame < frames; frame += stepFrames) {
      // The encoder's own memory, which it reuses.
      parts.push(encoder.encode(sound.map((samples) => samples.subarray(frame, frame + stepFrames))).slice())
    }
    onShare((at + frames * frameBytes - start) / (end - start))
  }
  parts.push(encoder.finalize().slice())
  return new Blob(parts, { type: 'audio/mpeg' })
}

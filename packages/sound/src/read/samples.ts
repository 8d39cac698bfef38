import { MPEGDecoder } from 'mpg123-decoder'
import type { RecordingBytes } from './bytes.ts'
import { findTags } from './mp3-tags.ts'
import { oneRate, UnreadableSound, type PcmChunk } from './pcm.ts'
import { findWavSound, wavChannels, type WavSound } from './wav.ts'

/** Bytes per read. One kilobyte of MP3 becomes twenty of samples. */
const stepBytes = { wav: 1024 * 1024, mp3: 64 * 1024 } as const

/**
 * The samples of a WAV or an MP3, piece by piece. If there are more than two channels, the first two are used.
 *
 * @param onShare called after each piece with the share that was read, from 0 to 1
 * @throws UnreadableSound for anything else
 */
export async function* recordingSamples(
  recording: RecordingBytes,
  onShare: (share: number) => void,
): AsyncGenerator<PcmChunk> {
  const wav = await findWavSound(recording)
  yield* wav ? samplesOfWav(recording, wav, onShare) : samplesOfMp3(recording, onShare)
}

async function* samplesOfWav(
  { read }: RecordingBytes,
  { format, start, end }: WavSound,
  onShare: (share: number) => void,
): AsyncGenerator<PcmChunk> {
  const frameBytes = format.channels * format.bytesPerSample
  const step = stepBytes.wav - (stepBytes.wav % frameBytes)
  for (let at = start; at < end; at += step) {
    const bytes = await read(at, Math.min(step, end - at))
    const frames = Math.floor(bytes.length / frameBytes)
    yield { sampleRate: format.sampleRate, channels: wavChannels(bytes, frames, format) }
    onShare(Math.min(1, (at + step - start) / (end - start)))
  }
}

async function* samplesOfMp3(
  recording: RecordingBytes,
  onShare: (share: number) => void,
): AsyncGenerator<PcmChunk> {
  const { size, read } = recording
  const before = (await findTags(recording)).sound.from
  const head = await read(before, 4)
  if (head.length < 4 || head[0] !== 0xff || (head[1]! & 0xe6) !== 0xe2)
    throw new UnreadableSound('It is no MP3.')
  yield* oneRate(decodeMp3(pieces(), head[3]! >> 6 === 3))

  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = before; at < size; at += stepBytes.mp3) {
      yield await read(at, stepBytes.mp3)
      onShare(Math.min(1, (at + stepBytes.mp3) / size))
    }
  }
}

/**
 * Decodes an MP3 piece by piece.
 *
 * @param isMono whether its frames are mono, which the decoder outputs as two equal channels
 */
export async function* decodeMp3(
  bytes: AsyncIterable<Uint8Array>,
  isMono: boolean,
): AsyncGenerator<PcmChunk> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    for await (const piece of bytes) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(piece)
      if (samplesDecoded > 0) yield { sampleRate, channels: channelData.slice(0, isMono ? 1 : 2) }
    }
  } finally {
    decoder.free()
  }
}

import { tagBytes, tagEnds } from '@fellowship/schema/audio/id3'
import { UnreadableSound, type PcmChunk } from '@fellowship/schema/audio/measure/pcm'
import { wavChannels } from '@fellowship/schema/audio/wav'
import { MPEGDecoder } from 'mpg123-decoder'
import { readWavFile, type WavFile } from '../smaller/wav-file.ts'

/** Bytes that are read at once: a kilobyte of MP3 becomes twenty of samples. */
const stepBytes = { wav: 1024 * 1024, mp3: 64 * 1024 } as const

/**
 * The samples of a WAV or an MP3, piece by piece. Of more than two channels the first two are taken.
 *
 * @param onShare told after each piece how much is read, from 0 to 1
 * @throws UnreadableSound for anything else
 */
export async function* fileSound(file: Blob, onShare: (share: number) => void): AsyncGenerator<PcmChunk> {
  const wav = await readWavFile(file)
  yield* wav ? wavSound(file, wav, onShare) : mp3Sound(file, onShare)
}

async function* wavSound(
  file: Blob,
  { format, start, end }: WavFile,
  onShare: (share: number) => void,
): AsyncGenerator<PcmChunk> {
  const frameBytes = format.channels * format.bytesPerSample
  const step = stepBytes.wav - (stepBytes.wav % frameBytes)
  for (let at = start; at < end; at += step) {
    const bytes = await bytesOf(file, at, Math.min(at + step, end))
    const frames = Math.floor(bytes.length / frameBytes)
    yield { sampleRate: format.sampleRate, channels: wavChannels(bytes, frames, format) }
    onShare(Math.min(1, (at + step - start) / (end - start)))
  }
}

async function* mp3Sound(file: Blob, onShare: (share: number) => void): AsyncGenerator<PcmChunk> {
  const first = await bytesOf(file, 0, tagEnds.first)
  const { before } = tagBytes(first, await bytesOf(file, file.size - tagEnds.last, file.size), file.size)
  const head = await bytesOf(file, before, before + 4)
  if (head.length < 4 || head[0] !== 0xff || (head[1]! & 0xe6) !== 0xe2)
    throw new UnreadableSound('It is no MP3.')
  // The decoder gives the one channel of a mono recording twice.
  const channels = head[3]! >> 6 === 3 ? 1 : 2
  const decoder = new MPEGDecoder()
  await decoder.ready
  let rate: number | undefined
  try {
    for (let at = before; at < file.size; at += stepBytes.mp3) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(
        await bytesOf(file, at, at + stepBytes.mp3),
      )
      rate ??= sampleRate
      if (sampleRate !== rate) throw new UnreadableSound('Its sample rate changes.')
      if (samplesDecoded > 0) yield { sampleRate, channels: channelData.slice(0, channels) }
      onShare(Math.min(1, (at + stepBytes.mp3) / file.size))
    }
  } finally {
    decoder.free()
  }
}

const bytesOf = async (file: Blob, from: number, to: number) =>
  new Uint8Array(await file.slice(Math.max(0, from), to).arrayBuffer())

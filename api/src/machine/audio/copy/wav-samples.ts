import { wavChannels, wavFormat, wavFormatBytes, type WavFormat } from '@fellowship/schema/audio/wav'
import { UnreadableSound, type PcmChunk } from '@fellowship/schema/audio/measure/pcm'

/**
 * Samples of a WAV (RIFF, Microsoft and IBM 1991) as it streams in: 8 to 32 bits, float, A-law, mu-law. Of more than two
 * channels the first two are taken. A data chunk of unknown length extends to the end of the file.
 *
 * @throws UnreadableSound
 */
export async function* wavSamples(bytes: AsyncIterable<Buffer>): AsyncGenerator<PcmChunk> {
  let kept: Buffer = Buffer.alloc(0)
  let format: WavFormat | undefined
  let isAfterHead = false
  /** Bytes of the current chunk that are skipped, or those of the sound that are still to come. */
  let skip = 0
  let sound: number | undefined
  for await (const piece of bytes) {
    kept = kept.length === 0 ? piece : Buffer.concat([kept, piece])
    while (sound === undefined) {
      const skipped = Math.min(skip, kept.length)
      kept = kept.subarray(skipped)
      skip -= skipped
      if (!isAfterHead && kept.length >= 12) {
        if (kept.toString('latin1', 0, 4) !== 'RIFF') throw new UnreadableSound('It is no WAV file.')
        isAfterHead = true
        kept = kept.subarray(12)
      }
      if (skip > 0 || !isAfterHead || kept.length < 8) break
      const name = kept.toString('latin1', 0, 4)
      const size = kept.readUInt32LE(4)
      if (name === 'data') {
        sound = size === 0 || size >= 0xffff_f000 ? Infinity : size
        kept = kept.subarray(8)
      } else {
        if (name === 'fmt ') {
          const read = Math.min(size, wavFormatBytes)
          if (kept.length < 8 + read) break
          const said = wavFormat(kept.subarray(8, 8 + read))
          if (typeof said === 'string') throw new UnreadableSound(said)
          format = said
        }
        skip = 8 + size + (size % 2)
      }
    }
    if (sound === undefined) {
      // The buffer of the source is reused.
      kept = Buffer.from(kept)
      continue
    }
    if (!format) throw new UnreadableSound('Its format is not given before its sound.')
    const frameBytes = format.channels * format.bytesPerSample
    const frames = Math.floor(Math.min(kept.length, sound) / frameBytes)
    if (frames > 0) {
      yield { sampleRate: format.sampleRate, channels: wavChannels(kept, frames, format) }
    }
    sound -= frames * frameBytes
    kept = Buffer.from(kept.subarray(frames * frameBytes))
    if (sound < frameBytes) return
  }
}

import { UnreadableSound, type PcmChunk } from './pcm.ts'

interface WavFormat {
  kind: 'pcm' | 'float' | 'alaw' | 'mulaw'
  channels: number
  sampleRate: number
  bytesPerSample: number
}

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
          if (kept.length < 8 + Math.min(size, 40)) break
          format = readFormat(kept.subarray(8, 8 + Math.min(size, 40)))
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
    if (frames > 0) yield chunkOf(kept, frames, format)
    sound -= frames * frameBytes
    kept = Buffer.from(kept.subarray(frames * frameBytes))
    if (sound < frameBytes) return
  }
}

function readFormat(head: Buffer): WavFormat {
  if (head.length < 16) throw new UnreadableSound('Its format is cut off.')
  const declared = head.readUInt16LE(0)
  // An extensible format names its kind at the start of a GUID.
  const tag = declared === 0xfffe && head.length >= 26 ? head.readUInt16LE(24) : declared
  const channels = head.readUInt16LE(2)
  const sampleRate = head.readUInt32LE(4)
  const bytesPerSample = head.readUInt16LE(12) / (channels || 1)
  const kind = ({ 1: 'pcm', 3: 'float', 6: 'alaw', 7: 'mulaw' } as const)[tag]
  const sizes = { pcm: [1, 2, 3, 4], float: [4, 8], alaw: [1], mulaw: [1] }
  if (!kind || channels === 0 || !sizes[kind].includes(bytesPerSample) || sampleRate < 8_000) {
    throw new UnreadableSound(`WAV of kind ${tag} with ${channels} channels and ${sampleRate} Hz.`)
  }
  return { kind, channels, sampleRate, bytesPerSample }
}

function chunkOf(bytes: Buffer, frames: number, format: WavFormat): PcmChunk {
  const { channels, bytesPerSample, sampleRate } = format
  const read = reader(bytes, format)
  const taken = Array.from({ length: Math.min(channels, 2) }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame++) {
      samples[frame] = read((frame * channels + channel) * bytesPerSample)
    }
    return samples
  })
  return { sampleRate, channels: taken }
}

function reader(bytes: Buffer, { kind, bytesPerSample }: WavFormat): (at: number) => number {
  if (kind === 'alaw') return (at) => alaw(bytes[at]!)
  if (kind === 'mulaw') return (at) => mulaw(bytes[at]!)
  if (kind === 'float') {
    return bytesPerSample === 8
      ? (at) => finite(bytes.readDoubleLE(at))
      : (at) => finite(bytes.readFloatLE(at))
  }
  switch (bytesPerSample) {
    case 1:
      return (at) => (bytes[at]! - 128) / 128
    case 2:
      return (at) => bytes.readInt16LE(at) / 2 ** 15
    case 3:
      return (at) => bytes.readIntLE(at, 3) / 2 ** 23
    default:
      return (at) => bytes.readInt32LE(at) / 2 ** 31
  }
}

const finite = (sample: number) => (Number.isFinite(sample) ? sample : 0)

/** ITU-T G.711. */
function alaw(byte: number): number {
  const code = byte ^ 0x55
  const exponent = (code >> 4) & 7
  const mantissa = ((code & 15) << 4) + 8
  const size = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (code & 0x80 ? size : -size) / 2 ** 15
}

function mulaw(byte: number): number {
  const code = ~byte & 0xff
  const size = ((((code & 15) << 3) + 0x84) << ((code >> 4) & 7)) - 0x84
  return (code & 0x80 ? -size : size) / 2 ** 15
}

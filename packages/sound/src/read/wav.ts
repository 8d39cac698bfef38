import { joined, latinText, viewOf, type ByteWindow, type RecordingBytes } from './bytes.ts'
import { UnreadableSound, type PcmChunk } from './pcm.ts'

/** How a WAV (RIFF, Microsoft and IBM 1991) holds its samples. */
interface WavFormat {
  readonly kind: 'pcm' | 'float' | 'alaw' | 'mulaw'
  readonly channels: number
  readonly sampleRate: number
  readonly bytesPerSample: number
}

/** Bytes to read of a format chunk, which may be longer. */
const wavFormatBytes = 40

const sizes = { pcm: [1, 2, 3, 4], float: [4, 8], alaw: [1], mulaw: [1] }
const kinds: Record<number, WavFormat['kind']> = { 1: 'pcm', 3: 'float', 6: 'alaw', 7: 'mulaw' }

/** Parses a format chunk. Returns a sentence if it is cut off or of an unsupported kind. */
function wavFormat(chunk: Uint8Array): WavFormat | string {
  if (chunk.length < 16) return 'Its format is cut off.'
  const view = viewOf(chunk)
  const declared = view.getUint16(0, true)
  // An extensible format names its kind at the start of a GUID.
  const tag = declared === 0xfffe && chunk.length >= 26 ? view.getUint16(24, true) : declared
  const kind = kinds[tag]
  const channels = view.getUint16(2, true)
  const sampleRate = view.getUint32(4, true)
  const bytesPerSample = view.getUint16(12, true) / (channels || 1)
  const isRead = kind && channels > 0 && sizes[kind].includes(bytesPerSample) && sampleRate >= 8_000
  return isRead
    ? { kind, channels, sampleRate, bytesPerSample }
    : `WAV of kind ${tag} with ${channels} channels and ${sampleRate} Hz.`
}

/** The first two channels of whole frames, from -1 to 1. */
export function wavChannels(bytes: Uint8Array, frames: number, format: WavFormat): Float32Array[] {
  const { channels, bytesPerSample } = format
  const read = sampleReader(bytes, format)
  return Array.from({ length: Math.min(channels, 2) }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame++) {
      samples[frame] = read((frame * channels + channel) * bytesPerSample)
    }
    return samples
  })
}

function sampleReader(bytes: Uint8Array, { kind, bytesPerSample }: WavFormat): (at: number) => number {
  const view = viewOf(bytes)
  if (kind === 'alaw') return (at) => alaw(bytes[at]!)
  if (kind === 'mulaw') return (at) => mulaw(bytes[at]!)
  if (kind === 'float') {
    return bytesPerSample === 8
      ? (at) => finite(view.getFloat64(at, true))
      : (at) => finite(view.getFloat32(at, true))
  }
  switch (bytesPerSample) {
    case 1:
      return (at) => (bytes[at]! - 128) / 128
    case 2:
      return (at) => view.getInt16(at, true) / 2 ** 15
    case 3:
      return (at) => (bytes[at]! | (bytes[at + 1]! << 8) | (view.getInt8(at + 2) << 16)) / 2 ** 23
    default:
      return (at) => view.getInt32(at, true) / 2 ** 31
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

/** Position and format of the sound in a WAV. */
export interface WavSound {
  readonly format: WavFormat
  /** Byte of the first sample, and the one after the last. */
  readonly start: number
  readonly end: number
  readonly seconds: number
}

/** Finds the sound by the first bytes of a file, not by its name; undefined if it is not a readable WAV. */
export async function findWavSound({ size: fileBytes, read }: RecordingBytes): Promise<WavSound | undefined> {
  const name = (bytes: Uint8Array) => latinText(bytes.subarray(0, 4))
  if (name(await read(0, 4)) !== 'RIFF' || name(await read(8, 4)) !== 'WAVE') return undefined
  let format: WavFormat | undefined
  let at = 12
  for (let chunk = 0; chunk < mostChunksBefore && at + 8 <= fileBytes; chunk++) {
    const head = await read(at, 8 + wavFormatBytes)
    const size = viewOf(head).getUint32(4, true)
    if (name(head) === 'data')
      return format && soundOf(format, at + 8, Math.min(size || Infinity, fileBytes - at - 8))
    if (name(head) === 'fmt ') {
      const parsed = wavFormat(head.subarray(8, 8 + Math.min(size, wavFormatBytes)))
      if (typeof parsed === 'string') return undefined
      format = parsed
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** Limit of chunks before the sound. */
const mostChunksBefore = 64

function soundOf(format: WavFormat, start: number, bytes: number): WavSound {
  const frame = format.channels * format.bytesPerSample
  const frames = Math.floor(bytes / frame)
  return { format, start, end: start + frames * frame, seconds: frames / format.sampleRate }
}

/** A chunk of a WAV: its name, the position of its head of eight bytes, and its declared size. */
interface WavChunk {
  readonly name: string
  readonly at: number
  readonly size: number
}

/** The chunks of a WAV in order, if their heads are present. */
export function* wavChunks(file: ByteWindow): Generator<WavChunk> {
  for (let at = 12, chunks = 0; at + 8 <= file.size && chunks < mostChunks; chunks++) {
    const head = file.read(at, 8)
    const size = viewOf(head).getUint32(4, true)
    yield { name: latinText(head.subarray(0, 4)), at, size }
    at += 8 + size + (size % 2)
  }
}

/** Ten hours in chunks of a second have fewer. */
const mostChunks = 100_000

/** A declared length; undefined if a streaming recorder left it at 0 or at the maximum. */
export const knownLength = (declared: number): number | undefined =>
  declared > 0 && declared < 0xffff_f000 ? declared : undefined

/**
 * Samples of a WAV (RIFF, Microsoft and IBM 1991) as it streams in: 8 to 32 bits, float, A-law, mu-law. If there are more
 * than two channels, the first two are used. If the length of the sound is unknown, it extends to the end of the file.
 *
 * @throws UnreadableSound
 */
export async function* wavSamples(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<PcmChunk> {
  let kept: Uint8Array = new Uint8Array(0)
  let format: WavFormat | undefined
  let isAfterHead = false
  /** Bytes of the current chunk still to skip, or of the sound still to arrive. */
  let skip = 0
  let sound: number | undefined
  for await (const piece of bytes) {
    kept = kept.length === 0 ? piece : joined([kept, piece])
    while (sound === undefined) {
      const skipped = Math.min(skip, kept.length)
      kept = kept.subarray(skipped)
      skip -= skipped
      if (!isAfterHead && kept.length >= 12) {
        if (latinText(kept.subarray(0, 4)) !== 'RIFF') throw new UnreadableSound('It is no WAV file.')
        isAfterHead = true
        kept = kept.subarray(12)
      }
      if (skip > 0 || !isAfterHead || kept.length < 8) break
      const name = latinText(kept.subarray(0, 4))
      const size = viewOf(kept).getUint32(4, true)
      if (name === 'data') {
        sound = knownLength(size) ?? Infinity
        kept = kept.subarray(8)
      } else {
        if (name === 'fmt ') {
          const read = Math.min(size, wavFormatBytes)
          if (kept.length < 8 + read) break
          const parsed = wavFormat(kept.subarray(8, 8 + read))
          if (typeof parsed === 'string') throw new UnreadableSound(parsed)
          format = parsed
        }
        skip = 8 + size + (size % 2)
      }
    }
    if (sound === undefined) {
      // Copied, since the source reuses its buffer.
      kept = new Uint8Array(kept)
      continue
    }
    if (!format) throw new UnreadableSound('Its format is not given before its sound.')
    const frameBytes = format.channels * format.bytesPerSample
    const frames = Math.floor(Math.min(kept.length, sound) / frameBytes)
    if (frames > 0) {
      yield { sampleRate: format.sampleRate, channels: wavChannels(kept, frames, format) }
    }
    sound -= frames * frameBytes
    kept = new Uint8Array(kept.subarray(frames * frameBytes))
    if (sound < frameBytes) return
  }
}

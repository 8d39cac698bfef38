import { joined, latinText, viewOf, type RecordingBytes } from './bytes.ts'
import { UnreadableSound, type PcmChunk } from './pcm.ts'

/** How a WAV (RIFF, Microsoft and IBM 1991) holds its samples. */
export interface WavFormat {
  readonly kind: 'pcm' | 'float' | 'alaw' | 'mulaw' | 'mp3'
  readonly channels: number
  readonly sampleRate: number
  readonly bytesPerSample: number
  /** By its samples; for MP3 by its header. */
  readonly bytesPerSecond: number
  /** Whether its header contradicts itself about the bytes of a sample or a second. */
  readonly isMisleading: boolean
}

/** Bytes to read of a format chunk, which may be longer. */
const wavFormatBytes = 40

const sizes = { pcm: [1, 2, 3, 4], float: [4, 8], alaw: [1], mulaw: [1] }
const kinds: Record<number, WavFormat['kind']> = { 1: 'pcm', 3: 'float', 6: 'alaw', 7: 'mulaw', 0x55: 'mp3' }
/** Kinds that no browser plays, by their registered numbers (RFC 2361). */
const others: Record<number, string> = {
  2: 'ADPCM',
  0x11: 'ADPCM',
  0x31: 'GSM',
  0x50: 'MPEG layer 2',
  0xff: 'AAC in WAV',
  0x160: 'WMA',
  0x161: 'WMA',
  0x1610: 'AAC in WAV',
}
/** 64 channels of 64 bits at 384 kHz. */
const mostBytesPerSecond = 64 * 8 * 384_000

/** Parses a format chunk. Returns the name of its kind if it is cut off or cannot be read. */
function wavFormat(chunk: Uint8Array): WavFormat | string {
  if (chunk.length < 16) return 'WAV without a format'
  const view = viewOf(chunk)
  const declared = view.getUint16(0, true)
  // An extensible format names its kind at the start of a GUID.
  const tag = declared === 0xfffe && chunk.length >= 26 ? view.getUint16(24, true) : declared
  const kind = kinds[tag]
  const channels = view.getUint16(2, true)
  const sampleRate = view.getUint32(4, true)
  const declaredRate = view.getUint32(8, true)
  const frameBytes = view.getUint16(12, true)
  const bits = view.getUint16(14, true)
  if (kind === undefined) return others[tag] ?? `WAV of kind ${tag}`
  if (kind === 'mp3') {
    // Its length is that of its frames; a variable bitrate is declared as 0.
    const bytesPerSecond = declaredRate || 16_000
    return { kind, channels, sampleRate, bytesPerSample: 1, bytesPerSecond, isMisleading: true }
  }
  // 20 bits are stored in three bytes.
  const byBits = Math.ceil(bits / 8)
  const byFrame = frameBytes / (channels || 1)
  const bytesPerSample = sizes[kind].includes(byFrame) && byFrame >= byBits ? byFrame : byBits
  const bytesPerSecond = channels * bytesPerSample * sampleRate
  const isRead = channels > 0 && sizes[kind].includes(bytesPerSample) && sampleRate >= 1_000
  if (!isRead || bytesPerSecond > mostBytesPerSecond)
    return `WAV of ${bits} bits, ${channels} channels and ${sampleRate} Hz`
  const isMisleading = declaredRate !== bytesPerSecond || byFrame !== bytesPerSample
  return { kind, channels, sampleRate, bytesPerSample, bytesPerSecond, isMisleading }
}

/** The first channels of whole frames, from -1 to 1. */
export function wavChannels(
  bytes: Uint8Array,
  frames: number,
  format: WavFormat,
  mostChannels = 2,
): Float32Array[] {
  const { channels, bytesPerSample } = format
  const read = sampleReader(bytes, format)
  return Array.from({ length: Math.min(channels, mostChannels) }, (_, channel) => {
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
  /** Its length by its header, in seconds, if the file ends more than a second before. */
  readonly wholeSeconds: number | undefined
  /** The same, if more than a second of sound lies behind that length. */
  readonly declaredSeconds: number | undefined
  /** Whether the header is wrong in a way that players believe, or is of a kind for long files (RF64, BW64). */
  readonly isMisleading: boolean
}

/**
 * Finds the sound in a WAV (RIFF, Microsoft and IBM 1991; RF64 and BW64, ITU-R BS.2088). Its length is counted from the bytes
 * that are there, because recorders leave any number in the header: none, the largest, that of their last flush.
 *
 * @returns undefined if it is not a WAV; 'damaged' if it has no sound, or no format before it; its kind if that is not read
 */
export async function readWav(
  recording: RecordingBytes,
): Promise<WavSound | 'damaged' | { readonly kind: string } | undefined> {
  const { size: fileBytes, read } = recording
  const magic = nameIn(await read(0, 4))
  if (!['RIFF', 'RF64', 'BW64'].includes(magic) || nameIn(await read(8, 4)) !== 'WAVE') return undefined
  let format: WavFormat | undefined
  let longBytes: number | undefined
  let at = 12
  for (let chunk = 0; chunk < mostChunksBefore && at + 8 <= fileBytes; chunk++) {
    const head = await read(at, 8 + wavFormatBytes)
    const size = viewOf(head).getUint32(4, true)
    const name = nameIn(head)
    if (name === 'data') {
      if (!format) return 'damaged'
      const declared = size === 0xffff_ffff && longBytes !== undefined ? longBytes : declaredBytes(size)
      return soundOf(recording, { format, start: at + 8, declared, isLong: magic !== 'RIFF' })
    }
    if (name === 'ds64' && head.length >= 24) longBytes = Number(viewOf(head).getBigUint64(16, true))
    if (name === 'fmt ') {
      const parsed = wavFormat(head.subarray(8, 8 + Math.min(size, wavFormatBytes)))
      if (typeof parsed === 'string') return { kind: parsed }
      format = parsed
    }
    at += 8 + size + (size % 2)
  }
  return 'damaged'
}

/** Whether a WAV was read. */
export const isSound = (found: Awaited<ReturnType<typeof readWav>>): found is WavSound =>
  typeof found === 'object' && 'format' in found

/** The sound of a WAV whose samples can be read; undefined for anything else. */
export async function findWavSound(recording: RecordingBytes): Promise<WavSound | undefined> {
  const found = await readWav(recording)
  return isSound(found) && found.format.kind !== 'mp3' ? found : undefined
}

const nameIn = (bytes: Uint8Array) => latinText(bytes.subarray(0, 4))

/** Limit of chunks before the sound. */
const mostChunksBefore = 64

interface DataChunk {
  readonly format: WavFormat
  readonly start: number
  /** Undefined if the header does not give it. */
  readonly declared: number | undefined
  readonly isLong: boolean
}

async function soundOf(
  recording: RecordingBytes,
  { format, start, declared, isLong }: DataChunk,
): Promise<WavSound> {
  const present = Math.max(0, recording.size - start)
  const { bytesPerSecond } = format
  const frame = format.kind === 'mp3' ? 1 : format.channels * format.bytesPerSample
  let bytes = Math.min(declared ?? present, present)
  const isHidden =
    declared !== undefined &&
    present - declared >= bytesPerSecond &&
    !(await areChunks(recording, start + declared + (declared % 2)))
  if (isHidden) bytes = present
  bytes -= bytes % frame
  const isCut = declared !== undefined && declared - present > bytesPerSecond
  return {
    format,
    start,
    end: start + bytes,
    seconds: bytes / bytesPerSecond,
    wholeSeconds: isCut ? declared / bytesPerSecond : undefined,
    declaredSeconds: isHidden ? declared / bytesPerSecond : undefined,
    // Firefox plays no WAV whose length is 0.
    isMisleading: isLong || isHidden || isCut || declared === undefined || format.isMisleading,
  }
}

/** Whether the bytes from `from` to the end of the file are chunks, as tags and cue points are. */
async function areChunks({ size: fileBytes, read }: RecordingBytes, from: number): Promise<boolean> {
  let at = from
  for (let chunk = 0; chunk < mostChunksBehind && at + 8 <= fileBytes; chunk++) {
    const head = await read(at, 8)
    if (!/^[\x20-\x7e]{4}$/.test(nameIn(head))) return false
    const size = viewOf(head).getUint32(4, true)
    at += 8 + size + (size % 2)
    // The last chunk may lack its padding byte.
    if (at > fileBytes + 1) return false
  }
  return true
}

const mostChunksBehind = 1_000

/**
 * A declared length; undefined if a recorder that could not go back left it at 0, or near the limit of 31 or 32 bits as
 * programs that write into a pipe do.
 */
const declaredBytes = (declared: number): number | undefined =>
  declared > 0 && declared < 0x7fff_0000 ? declared : undefined

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
        sound = declaredBytes(size) ?? Infinity
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

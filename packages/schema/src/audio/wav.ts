/** How a WAV (RIFF, Microsoft and IBM 1991) holds its samples. */
export interface WavFormat {
  readonly kind: 'pcm' | 'float' | 'alaw' | 'mulaw'
  readonly channels: number
  readonly sampleRate: number
  readonly bytesPerSample: number
}

/** Bytes of a format chunk that are read; it may be longer. */
export const wavFormatBytes = 40

const sizes = { pcm: [1, 2, 3, 4], float: [4, 8], alaw: [1], mulaw: [1] }
const kinds: Record<number, WavFormat['kind']> = { 1: 'pcm', 3: 'float', 6: 'alaw', 7: 'mulaw' }

/** What a format chunk says; a sentence where it is cut off, or of a kind that is not read here. */
export function wavFormat(chunk: Uint8Array): WavFormat | string {
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

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

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

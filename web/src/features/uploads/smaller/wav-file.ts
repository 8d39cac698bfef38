import { wavFormat, wavFormatBytes, type WavFormat } from '@fellowship/schema/audio/wav'

/** Where the sound of a WAV file lies, and how. */
export interface WavFile {
  readonly format: WavFormat
  /** Byte of the first sample, and the one after the last. */
  readonly start: number
  readonly end: number
  readonly seconds: number
}

/** Finds the sound of a file by its first bytes, not by its name; undefined where it is no WAV that can be read. */
export async function readWavFile(file: Blob): Promise<WavFile | undefined> {
  const bytes = async (from: number, count: number) =>
    new Uint8Array(await file.slice(from, from + count).arrayBuffer())
  if (nameIn(await bytes(0, 4)) !== 'RIFF' || nameIn(await bytes(8, 4)) !== 'WAVE') return undefined
  let format: WavFormat | undefined
  let at = 12
  for (let chunk = 0; chunk < mostChunks && at + 8 <= file.size; chunk++) {
    const head = await bytes(at, 8 + wavFormatBytes)
    const size = new DataView(head.buffer).getUint32(4, true)
    const name = nameIn(head)
    if (name === 'data')
      return format && soundOf(format, at + 8, Math.min(size || Infinity, file.size - at - 8))
    if (name === 'fmt ') {
      const said = wavFormat(head.subarray(8, 8 + Math.min(size, wavFormatBytes)))
      if (typeof said === 'string') return undefined
      format = said
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** Chunks before the sound that are looked at. */
const mostChunks = 64

function soundOf(format: WavFormat, start: number, bytes: number): WavFile {
  const frame = format.channels * format.bytesPerSample
  const frames = Math.floor(bytes / frame)
  return { format, start, end: start + frames * frame, seconds: frames / format.sampleRate }
}

const nameIn = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 4))

import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { audioRefusals } from './audio-refusals.ts'
import { infoFrame, infoFrameBytes, shapeOf, type Mp3Facts } from './copy/mp3-info-frame.ts'
import { fileWindow, type FileWindow } from './file-window.ts'
import { gaplessOf, walkMp3 } from './mp3-frames.ts'

/** A recording whose ends are cut off into another file. */
export interface TrimJob {
  readonly path: string
  readonly extension: Exclude<AudioExtension, 'm4a'>
  /** The file that is written. */
  readonly target: string
  /** Seconds to cut off. */
  readonly start: number
  readonly end: number
}

/**
 * Copies a recording without seconds at its ends: whole frames of an MP3, whole samples of a WAV, none of them encoded
 * anew. For worker threads only.
 *
 * @returns the bytes written
 * @throws Problem `unsupported_audio`
 */
export function trimRecording({ path, extension, target, start, end }: TrimJob): number {
  const source = openSync(path, 'r')
  try {
    const out = openSync(target, 'w')
    try {
      const file = fileWindow(source)
      const pieces = extension === 'mp3' ? trimmedMp3(file, { start, end }) : trimmedWav(file, { start, end })
      let bytes = 0
      for (const piece of pieces) bytes += write(source, out, piece)
      fsyncSync(out)
      return bytes
    } finally {
      closeSync(out)
    }
  } finally {
    closeSync(source)
  }
}

/** Seconds to cut off at both ends. */
interface Cut {
  start: number
  end: number
}

/** Bytes of the new file in their order: new ones, or a stretch of the recording. */
type Piece = Buffer | { from: number; to: number }

/** The frames between, behind a first frame that describes them and the tag that the recording begins with. */
function trimmedMp3(file: FileWindow, cut: Cut): Piece[] {
  const frames: { at: number; bytes: number }[] = []
  let info: { at: number; bytes: number } | undefined
  const { gaveUp } = walkMp3(file, (at, bytes, isInfo) => {
    if (isInfo) info = { at, bytes }
    else frames.push({ at, bytes })
  })
  if (gaveUp || frames.length < 3) throw audioRefusals.damaged()
  const shape = shapeOf(Buffer.from(file.read(frames[0]!.at, 4)))
  const perSecond = shape.sampleRate / shape.samplesPerFrame
  // A frame may need bits of the one before it: one more is kept, whose sound may be lost.
  const from = Math.max(0, Math.floor(cut.start * perSecond) - 1)
  const to = Math.min(frames.length, Math.ceil(frames.length - cut.end * perSecond) + 1)
  const kept = frames.slice(from, to)
  if (kept.length < 3) throw audioRefusals.noSound()
  const [first, last] = [kept[0]!, kept.at(-1)!]
  const gapless = info && gaplessOf(Buffer.from(file.read(info.at, info.bytes)))
  const soundBytes = last.at + last.bytes - first.at
  const facts: Mp3Facts = {
    frames: kept.length,
    bytes: infoFrameBytes(shape) + soundBytes,
    delay: from === 0 ? (gapless?.delay ?? 0) : 0,
    padding: to === frames.length ? (gapless?.padding ?? 0) : 0,
    places: Array.from({ length: 100 }, (_, percent) => {
      const frame = kept[Math.floor((percent * kept.length) / 100)]!
      return Math.min(255, Math.floor(((frame.at - first.at) * 256) / soundBytes))
    }),
    // Padding bytes make frames of one bitrate differ by one.
    isVariable: kept.some(({ bytes }) => Math.abs(bytes - first.bytes) > 1),
  }
  const tagEnd = Math.min(info?.at ?? first.at, frames[0]!.at)
  return [
    { from: 0, to: file.read(0, 3).toString('latin1') === 'ID3' ? tagEnd : 0 },
    infoFrame(shape, facts),
    { from: first.at, to: last.at + last.bytes },
  ]
}

/** The samples between, behind the chunks before them. */
function trimmedWav(file: FileWindow, cut: Cut): Piece[] {
  let format: { bytesPerSecond: number; align: number } | undefined
  let factAt: number | undefined
  for (let at = 12, chunks = 0; at + 8 <= file.size && chunks < mostChunks; chunks++) {
    const head = file.read(at, 8)
    const name = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    if (name === 'fmt ') {
      const fields = file.read(at + 8, 16)
      if (fields.length === 16)
        format = { bytesPerSecond: fields.readUInt32LE(8), align: fields.readUInt16LE(12) }
    }
    if (name === 'fact' && size >= 4) factAt = at + 8
    if (name === 'data') {
      if (!format || format.align === 0 || at > largestHead) throw audioRefusals.damaged()
      return wavPieces(file, { ...format, dataAt: at + 8, declared: size, factAt }, cut)
    }
    at += 8 + size + (size % 2)
  }
  throw audioRefusals.damaged()
}

const mostChunks = 100_000
/** Bytes of the chunks before the sound. */
const largestHead = 1 << 20

interface WavPlaces {
  bytesPerSecond: number
  align: number
  dataAt: number
  declared: number
  factAt: number | undefined
}

function wavPieces(file: FileWindow, places: WavPlaces, { start, end }: Cut): Piece[] {
  const { bytesPerSecond, align, dataAt, declared, factAt } = places
  const present = file.size - dataAt
  // Recorders that stream leave the length at its maximum, or at 0.
  const length = declared > 0 && declared < 0xffff_f000 ? Math.min(declared, present) : present
  const aligned = (seconds: number) => Math.floor((seconds * bytesPerSecond) / align) * align
  const from = aligned(start)
  const bytes = Math.floor((length - from - aligned(end)) / align) * align
  if (bytes <= 0) throw audioRefusals.noSound()
  const head = Buffer.from(file.read(0, dataAt))
  if (head.length < dataAt) throw audioRefusals.damaged()
  head.writeUInt32LE(dataAt - 8 + bytes + (bytes % 2), 4)
  head.writeUInt32LE(bytes, dataAt - 4)
  if (factAt !== undefined) head.writeUInt32LE(bytes / align, factAt)
  return [head, { from: dataAt + from, to: dataAt + from + bytes }, Buffer.alloc(bytes % 2)]
}

/** Appends a piece; returns its bytes. */
function write(source: number, out: number, piece: Piece): number {
  if (Buffer.isBuffer(piece)) {
    writeAll(out, piece)
    return piece.length
  }
  const buffer = Buffer.allocUnsafe(1 << 20)
  for (let at = piece.from; at < piece.to;) {
    const read = readSync(source, buffer, 0, Math.min(buffer.length, piece.to - at), at)
    if (read === 0) throw audioRefusals.damaged()
    writeAll(out, buffer.subarray(0, read))
    at += read
  }
  return piece.to - piece.from
}

function writeAll(out: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at)
}

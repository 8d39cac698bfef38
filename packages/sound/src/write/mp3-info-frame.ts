import { latin, viewOf } from '../read/bytes.ts'
import { frameBytes, readFrame, sideBytes, type Frame } from '../read/mp3-frames.ts'

/** Samples of silence that LAME adds at the start. */
export const encoderDelay = 576

/** The properties that all frames of an MP3 share. */
export interface Mp3Shape extends Frame {
  /** The first frame's four bytes. */
  readonly header: Uint8Array
}

/** Reads the first frame of an encoder. */
export function shapeOf(header: Uint8Array): Mp3Shape {
  const frame = readFrame(header)
  if (!frame) throw new Error('The encoder made no MP3 frame.')
  return { ...frame, header }
}

/** Bytes of the frame that `infoFrame` makes. */
export const infoFrameBytes = (shape: Mp3Shape): number => frameBytes(shape, infoKilobits)

/** The content of an info frame. */
export interface Mp3Facts {
  /** Frames of the file, without this one. */
  readonly frames: number
  /** Bytes of the file, with this one. */
  readonly bytes: number
  /** Samples that players skip at the start and at the end. */
  readonly delay: number
  readonly padding: number
  /** Positions of each percent of the length in 256ths of the bytes; evenly spaced if absent. */
  readonly seekTable?: readonly number[]
  /** Whether the frames differ in their bitrate. */
  readonly isVariable?: boolean
}

/**
 * The silent first frame of a file with its length, a seek table and the samples that players skip at both ends ("Info" or
 * "Xing", with LAME's extension). Without it a recording plays a tenth of a second longer than its original.
 */
export function infoFrame(
  shape: Mp3Shape,
  { frames, bytes, delay, padding, seekTable, isVariable = false }: Mp3Facts,
): Uint8Array<ArrayBuffer> {
  const { header } = shape
  const frame = new Uint8Array(infoFrameBytes(shape))
  const view = viewOf(frame)
  frame.set(header.subarray(0, 4))
  // No checksum, no padding, and the index of the bitrate.
  frame[1]! |= 1
  frame[2] = ((shape.version === 3 ? 5 : 8) << 4) | (header[2]! & 0x0c)
  const at = 4 + sideBytes(shape)
  frame.set(latin(isVariable ? 'Xing' : 'Info'), at)
  view.setUint32(at + 4, 0x0f)
  view.setUint32(at + 8, frames)
  view.setUint32(at + 12, bytes)
  for (let percent = 0; percent < 100; percent++) {
    frame[at + 16 + percent] = seekTable?.[percent] ?? Math.floor((percent * 256) / 100)
  }
  view.setUint32(at + 116, 50)
  const lame = at + 120
  frame.set(latin('LAME3.100'), lame)
  // Constant bitrate, or variable by the newer method.
  frame[lame + 9] = isVariable ? 4 : 1
  frame[lame + 20] = isVariable ? 0 : 32
  view.setUint8(lame + 21, delay >> 4)
  view.setUint16(lame + 22, ((delay & 0xf) << 12) | padding)
  view.setUint32(lame + 28, bytes)
  view.setUint16(lame + 34, crc16(frame.subarray(0, lame + 34)))
  return frame
}

/** A bitrate of both MPEG versions whose frame has room. */
const infoKilobits = 64

/** How many frames lie where, for the header in front of them. */
export interface FramePlaces {
  /** The start of each frame, and the end of the last one. */
  readonly starts: readonly number[]
  readonly end: number
  readonly delay?: number
  readonly padding?: number
}

/** The info frame of frames that follow it, with a true seek table. */
export function infoFrameOf(
  shape: Mp3Shape,
  { starts, end, delay = 0, padding = 0 }: FramePlaces,
): Uint8Array<ArrayBuffer> {
  const first = starts[0]!
  const bytes = end - first
  const sizes = starts.map((at, index) => (starts[index + 1] ?? end) - at)
  return infoFrame(shape, {
    frames: starts.length,
    bytes: infoFrameBytes(shape) + bytes,
    delay,
    padding,
    seekTable: Array.from({ length: 100 }, (_, percent) => {
      const at = starts[Math.floor((percent * starts.length) / 100)]!
      return Math.min(255, Math.floor(((at - first) * 256) / bytes))
    }),
    isVariable: isVariable(sizes),
  })
}

/** Whether frames differ in their bitrate: padding makes frames of one bitrate differ by a byte. */
export const isVariable = (sizes: readonly number[]): boolean =>
  sizes.some((bytes) => Math.abs(bytes - sizes[0]!) > 1)

/** CRC-16/ARC, as LAME's extension requires. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

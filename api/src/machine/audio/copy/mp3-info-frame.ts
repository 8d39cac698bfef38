/** Samples that LAME puts before the first one. */
export const encoderDelay = 576

/** What every MP3 frame of a file has in common. */
export interface Mp3Shape {
  /** The first frame's four bytes. */
  readonly header: Buffer
  readonly sampleRate: number
  readonly samplesPerFrame: number
}

/** Reads the first frame that an encoder made. */
export function shapeOf(header: Buffer): Mp3Shape {
  const isFirst = isMpeg1(header)
  const base = [44_100, 48_000, 32_000][(header[2]! >> 2) & 3]
  const version = (header[1]! >> 3) & 3
  if (header[0] !== 0xff || !base || version === 1) throw new Error('The encoder made no MP3 frame.')
  return {
    header,
    sampleRate: version === 3 ? base : version === 2 ? base / 2 : base / 4,
    samplesPerFrame: isFirst ? 1_152 : 576,
  }
}

/** Bytes of the frame that `infoFrame` makes. */
export const infoFrameBytes = ({ header, sampleRate, samplesPerFrame }: Mp3Shape): number =>
  Math.floor(((samplesPerFrame / 8) * infoBitrate(header).kilobits * 1_000) / sampleRate)

/** What the first frame of a file says about the rest. */
export interface Mp3Facts {
  /** Frames of the file, without this one. */
  readonly frames: number
  /** Bytes of the file, with this one. */
  readonly bytes: number
  /** Samples that players leave out at the start and at the end. */
  readonly delay: number
  readonly padding: number
  /** Of each percent of the length, where it begins, in 256ths of the bytes; evenly where it is left out. */
  readonly places?: readonly number[]
  /** Whether the frames differ in their bitrate. */
  readonly isVariable?: boolean
}

/**
 * The silent first frame of a file that says how long it is, where to seek, and how many samples players leave out at both
 * ends ("Info" or "Xing", with LAME's addition). Without it a recording is longer than its original by a tenth of a second.
 */
export function infoFrame(
  shape: Mp3Shape,
  { frames, bytes, delay, padding, places, isVariable = false }: Mp3Facts,
): Buffer {
  const { header } = shape
  const frame = Buffer.alloc(infoFrameBytes(shape))
  header.copy(frame, 0, 0, 4)
  // Without a checksum and without padding, at a bitrate whose frame has room.
  frame[1]! |= 1
  frame[2] = (infoBitrate(header).index << 4) | (header[2]! & 0x0c)
  const isMono = header[3]! >> 6 === 3
  const at = 4 + (isMpeg1(header) ? (isMono ? 17 : 32) : isMono ? 9 : 17)
  frame.write(isVariable ? 'Xing' : 'Info', at, 'latin1')
  frame.writeUInt32BE(0x0f, at + 4)
  frame.writeUInt32BE(frames, at + 8)
  frame.writeUInt32BE(bytes, at + 12)
  for (let percent = 0; percent < 100; percent++) {
    frame[at + 16 + percent] = places?.[percent] ?? Math.floor((percent * 256) / 100)
  }
  frame.writeUInt32BE(50, at + 116)
  const lame = at + 120
  frame.write('LAME3.100', lame, 'latin1')
  // Constant bitrate, or variable by the newer method.
  frame[lame + 9] = isVariable ? 4 : 1
  frame[lame + 20] = isVariable ? 0 : 32
  frame.writeUIntBE((delay << 12) | padding, lame + 21, 3)
  frame.writeUInt32BE(bytes, lame + 28)
  frame.writeUInt16BE(crc16(frame.subarray(0, lame + 34)), lame + 34)
  return frame
}

const isMpeg1 = (header: Buffer) => ((header[1]! >> 3) & 3) === 3

const infoBitrate = (header: Buffer) => ({ kilobits: 64, index: isMpeg1(header) ? 5 : 8 })

/** CRC-16/ARC, as LAME's addition wants it. */
function crc16(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

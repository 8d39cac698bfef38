import { latinText, viewOf, type ByteWindow } from './bytes.ts'
import { soundStart, tagAt } from './mp3-tags.ts'

/** The result of scanning all frames of an MP3. */
interface Mp3Walk {
  frames: number
  durationSeconds: number
  /** Bytes of frames, and of junk: data that is neither frame nor tag. */
  audioBytes: number
  junkBytes: number
  /** Duration by the Xing, Info or VBRI header of the encoder, if there is one. */
  declaredSeconds: number | undefined
  /** Seconds of silence that the encoder added at both ends, which players skip, by the same header. */
  skippedSeconds: number
  /** Position of the first frame. */
  firstAt: number | undefined
  /** Bytes of the first frame that carries sound, and whether others differ: padding makes them a byte longer. */
  firstBytes: number
  isVariable: boolean
  /** Whether the file ends within its last frame. */
  endsInside: boolean
  /** A sample rate that begins later in the file, which players do not follow. */
  otherRate: number | undefined
  /** Whether the scan stopped early because of more junk or tags than any recording has. */
  gaveUp: boolean
}

/** A frame by its header. */
export interface Frame {
  bytes: number
  samples: number
  sampleRate: number
  version: number
  mono: boolean
}

/** Called for every frame with its position, its length, and whether it carries an encoder's header instead of sound. */
type OnFrame = (at: number, bytes: number, isInfo: boolean) => void

/** Limits of positions that only look like a frame, and of tags: each costs a little time. */
const mostFalseStarts = 200_000
const mostTags = 1000

/**
 * Scans the frame headers of an MPEG layer III file (ISO/IEC 11172-3 2.4.1.3, 13818-3): exact even if no header gives
 * the length, and the only way to detect a truncated file. Tags before, between and after the frames are skipped.
 */
export function walkMp3(file: ByteWindow, onFrame?: OnFrame): Mp3Walk {
  const walk: Mp3Walk = {
    frames: 0,
    durationSeconds: 0,
    audioBytes: 0,
    junkBytes: 0,
    declaredSeconds: undefined,
    skippedSeconds: 0,
    firstAt: undefined,
    firstBytes: 0,
    isVariable: false,
    endsInside: false,
    otherRate: undefined,
    gaveUp: false,
  }
  let at = 0
  let kind: Frame | undefined
  let tags = 0
  let falseStarts = 0
  while (at + 4 <= file.size) {
    if (kind) at = strideFrames(file, at, kind, walk, onFrame)
    const header = file.read(at, 4)
    if (header.length < 4) break
    // A tag never begins with the first byte of a frame.
    const tag = header[0] === 0xff ? 0 : tagAt(file, at)
    if (tag > 0) {
      if ((tags += 1) > mostTags) return { ...walk, gaveUp: true }
      at += tag
      continue
    }
    const frame = readFrame(file.read(at, 4))
    const isTrusted = frame && (kind ? isAlike(frame, kind) : startsChain(file, at, frame))
    if (!frame || !isTrusted) {
      if (frame && kind && frame.sampleRate !== kind.sampleRate && startsChain(file, at, frame))
        walk.otherRate = frame.sampleRate
      if ((falseStarts += 1) > mostFalseStarts) return { ...walk, gaveUp: true }
      const next = nextStart(file, at + 1)
      // After a loss of sync, the next frame has to be verified again.
      if (walk.junkBytes >> 12 !== (walk.junkBytes + next - at) >> 12) kind = undefined
      walk.junkBytes += next - at
      at = next
      continue
    }
    const isInfo = noteFrame(file, at, frame, walk, kind === undefined)
    if (at + frame.bytes <= file.size) onFrame?.(at, frame.bytes, isInfo)
    kind = frame
    at += frame.bytes
  }
  return walk
}

/** Whether the first frame is mono. Decoders output mono as two equal channels. */
export function isMonoMp3(file: ByteWindow): boolean {
  let tags = 0
  for (let at = 0, tries = 0; at + 4 <= file.size && tries < mostFalseStarts; tries++) {
    const tag = file.read(at, 1)[0] === 0xff ? 0 : tagAt(file, at)
    if (tag > 0) {
      if ((tags += 1) > mostTags) return false
      at += tag
      continue
    }
    const frame = readFrame(file.read(at, 4))
    if (frame && startsChain(file, at, frame)) return frame.mono
    at = nextStart(file, at + 1)
  }
  return false
}

/** Counts a frame. Returns whether it carries an encoder's header instead of sound, as only the first frame may. */
function noteFrame(file: ByteWindow, at: number, frame: Frame, walk: Mp3Walk, isVerified: boolean): boolean {
  walk.firstAt ??= at
  const first = isVerified && walk.frames === 0 ? file.read(at, frame.bytes) : undefined
  const declared = first && declaredSamples(first, frame)
  if (declared !== undefined) {
    walk.declaredSeconds = declared / frame.sampleRate
    const { delay, padding } = gaplessOf(first!) ?? { delay: 0, padding: 0 }
    walk.skippedSeconds = (delay + padding) / frame.sampleRate
  } else {
    walk.frames++
    walk.durationSeconds += frame.samples / frame.sampleRate
    walk.firstBytes ||= frame.bytes
    walk.isVariable ||= Math.abs(frame.bytes - walk.firstBytes) > 1
  }
  walk.audioBytes += Math.min(frame.bytes, file.size - at)
  walk.endsInside = at + frame.bytes > file.size
  return declared !== undefined
}

/** The next position at which a frame or a tag could begin, or the end of the file. */
function nextStart(file: ByteWindow, from: number): number {
  let at = from
  while (at < file.size) {
    if (file.read(at, 1).length === 0) return file.size
    const { bytes, start, end } = file.memory()
    for (; at < end; at++) {
      const byte = bytes[at - start]
      // A frame, 'ID3', 'TAG' or 'APE'.
      if (byte === 0xff || byte === 0x49 || byte === 0x54 || byte === 0x41) return at
    }
  }
  return file.size
}

/**
 * Fast path: counts consecutive frames in memory, without allocating; stops at anything else, which is
 * left to the slow path. Returns the position of the stop.
 */
function strideFrames(
  file: ByteWindow,
  from: number,
  kind: Frame,
  walk: Mp3Walk,
  onFrame: OnFrame | undefined,
): number {
  const { bytes, start, end } = file.memory()
  const sizes = (kind.version === 3 ? bitrates1 : bitrates2).map((kilobits) => frameBytes(kind, kilobits))
  const rate = sampleRates.indexOf(kind.sampleRate * (kind.version === 3 ? 1 : kind.version === 2 ? 2 : 4))
  let at = from
  let frames = 0
  let { isVariable } = walk
  while (at >= start && at + 4 <= end) {
    const place = at - start
    const second = bytes[place + 1]!
    const third = bytes[place + 2]!
    // Sync word, same version, layer III, same sample rate, and a known bitrate.
    if (bytes[place] !== 0xff || (second & 0xfe) !== (0xe2 | (kind.version << 3))) break
    const size = sizes[third >> 4]
    if (((third >> 2) & 3) !== rate || !size) break
    const length = size + ((third >> 1) & 1)
    // If the last frame is truncated, the slow path handles it.
    if (at + length > file.size) break
    walk.audioBytes += length
    walk.firstBytes ||= length
    isVariable ||= Math.abs(length - walk.firstBytes) > 1
    onFrame?.(at, length, false)
    frames += 1
    at += length
  }
  walk.isVariable = isVariable
  walk.frames += frames
  walk.durationSeconds += (frames * kind.samples) / kind.sampleRate
  return at
}

const bitrates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const bitrates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const sampleRates = [44_100, 48_000, 32_000]

/** Reads the four bytes of a frame header; undefined if they are not one. */
export function readFrame(header: Uint8Array): Frame | undefined {
  if (header.length < 4 || header[0] !== 0xff || (header[1]! & 0xe0) !== 0xe0) return undefined
  const version = (header[1]! >> 3) & 3 // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
  const layer = (header[1]! >> 1) & 3 // 1: layer III
  const kilobits = (version === 3 ? bitrates1 : bitrates2)[header[2]! >> 4]
  const base = sampleRates[(header[2]! >> 2) & 3]
  if (version === 1 || layer !== 1 || !kilobits || !base) return undefined
  const sampleRate = version === 3 ? base : version === 2 ? base / 2 : base / 4
  const samples = version === 3 ? 1152 : 576
  const padding = (header[2]! >> 1) & 1
  const shape = { samples, sampleRate, version, mono: header[3]! >> 6 === 3 }
  return { bytes: frameBytes(shape, kilobits) + padding, ...shape }
}

/** Bytes of a frame of a bitrate, without padding. */
export const frameBytes = (
  { samples, sampleRate }: Pick<Frame, 'samples' | 'sampleRate'>,
  kilobits: number,
) => Math.floor(((samples / 8) * kilobits * 1000) / sampleRate)

const isAlike = (a: Frame, b: Frame) => a.version === b.version && a.sampleRate === b.sampleRate

/**
 * Whether an MP3 is free-format: its headers give no bitrate, and its frames repeat at a distance of its own (ISO/IEC 11172-3
 * 2.4.2.3). Browsers do not play it.
 */
export function isFreeFormat(file: ByteWindow): boolean {
  const from = soundStart(file) ?? 0
  const head = file.read(from, 4)
  if (head.length < 4 || head[0] !== 0xff || (head[1]! & 0xe6) !== 0xe2 || head[2]! >> 4 !== 0) return false
  const [, second, third] = head as unknown as [number, number, number]
  const bytes = new Uint8Array(file.read(from, 8 * largestFreeFrame))
  const isHead = (at: number) =>
    bytes[at] === 0xff && bytes[at + 1] === second && (bytes[at + 2]! & 0xfd) === (third & 0xfd)
  for (let length = 24; length < largestFreeFrame; length++) {
    // A padded frame is a byte longer.
    if (isHead(length) && (isHead(2 * length) || isHead(2 * length + 1) || isHead(2 * length - 1)))
      return true
  }
  return false
}

/** Bytes of a frame of 640 kbit/s at 8 kHz. */
const largestFreeFrame = 5_760

/** Random bytes often look like a header, but three consecutive headers do not occur by chance. */
function startsChain(file: ByteWindow, start: number, first: Frame): boolean {
  let at = start + first.bytes
  for (let seen = 1; seen < 3; seen++) {
    if (at + 4 > file.size) return seen > 1 || start === 0
    const next = readFrame(file.read(at, 4))
    if (!next) return seen > 1 && tagAt(file, at) > 0
    if (!isAlike(next, first)) return false
    at += next.bytes
  }
  return true
}

/** Samples that players skip at both ends, by the extension that LAME and similar encoders add to the first frame. */
export function gaplessOf(infoFrame: Uint8Array): { delay: number; padding: number } | undefined {
  const frame = readFrame(infoFrame)
  if (!frame) return undefined
  const at = 4 + sideBytes(frame) + 120
  if (infoFrame.length < at + 24 || !/^L(?:AME|av[fc])/.test(latinText(infoFrame.subarray(at, at + 4))))
    return undefined
  const both = viewOf(infoFrame).getUint32(at + 20) & 0xff_ffff
  return { delay: both >> 12, padding: both & 0xfff }
}

/** Bytes of side information after the frame header, behind which encoders put their own header. */
export const sideBytes = ({ version, mono }: Pick<Frame, 'version' | 'mono'>): number =>
  version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17

/** Sample count by the header in a silent first frame; undefined if it is an ordinary frame. */
function declaredSamples(bytes: Uint8Array, frame: Frame): number | undefined {
  const side = sideBytes(frame)
  const mark = latinText(bytes.subarray(4 + side, 8 + side))
  if (mark === 'Xing' || mark === 'Info') {
    const hasFrames = bytes.length >= side + 16 && (viewOf(bytes).getUint32(8 + side) & 1) === 1
    return hasFrames ? viewOf(bytes).getUint32(12 + side) * frame.samples : 0
  }
  if (latinText(bytes.subarray(36, 40)) === 'VBRI' && bytes.length >= 54) {
    return viewOf(bytes).getUint32(50) * frame.samples
  }
  return undefined
}

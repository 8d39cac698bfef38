import { audioRefusals } from './audio-refusals.ts'
import type { FileWindow } from './file-window.ts'

/** Chunks of a WAV and top-level boxes of an MP4; one of ten hours in pieces of a second has fewer. */
const mostChunks = 100_000

/**
 * Duration of a WAV by its own chunks (RIFF, Microsoft and IBM 1991), as far as its bytes are present.
 *
 * @throws Problem `unsupported_audio` where it is truncated, without samples or in a format that browsers do not play
 */
export function measureWav(file: FileWindow): number {
  let bytesPerSecond = 0
  let chunks = 0
  for (let at = 12; at + 8 <= file.size && chunks < mostChunks; chunks++) {
    const head = file.read(at, 8)
    const name = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    if (name === 'fmt ') bytesPerSecond = readFormat(file.read(at + 8, 40))
    if (name === 'data') return wavSeconds(size, file.size - at - 8, bytesPerSecond)
    at += 8 + size + (size % 2)
  }
  throw audioRefusals.damaged()
}

/** Format tags that browsers decode: PCM, IEEE float, A-law, mu-law. Extensible ones name theirs in a GUID's start. */
const playableWav = new Map([
  [1, 'PCM'],
  [3, 'float'],
  [6, 'A-law'],
  [7, 'mu-law'],
])

function readFormat(format: Buffer): number {
  if (format.length < 16) throw audioRefusals.damaged()
  const tag = format.readUInt16LE(0)
  const kind = tag === 0xfffe && format.length >= 26 ? format.readUInt16LE(24) : tag
  if (!playableWav.has(kind)) throw audioRefusals.unplayable(`WAV ${kind}`)
  return format.readUInt32LE(8)
}

/** Eight channels of 32 bits at 384 kHz. */
const mostBytesPerSecond = 8 * 4 * 384_000

function wavSeconds(declared: number, present: number, bytesPerSecond: number): number {
  if (bytesPerSecond === 0 || bytesPerSecond > mostBytesPerSecond) throw audioRefusals.damaged()
  // Recorders that stream leave the length at its maximum, or at 0.
  const known = declared > 0 && declared < 0xffff_f000
  const seconds = Math.min(known ? declared : present, present) / bytesPerSecond
  if (known && declared - present > bytesPerSecond)
    throw audioRefusals.cutOff(seconds, declared / bytesPerSecond)
  if (seconds === 0) throw audioRefusals.noSound()
  return seconds
}

/** What is read into memory: the index, of which ten hours need less than this, and small boxes. */
const largestIndex = 32 * 1024 * 1024
const largestOther = 1024 * 1024
/** Boxes that are skipped, so that their size does not matter. */
const skipped = ['mdat', 'free', 'skip', 'wide', 'uuid']

/**
 * Checks the top-level boxes of an MP4 (ISO/IEC 14496-12 4.2): whether the index is present and the media data complete.
 *
 * @throws Problem `unsupported_audio`
 */
export function checkMp4(file: FileWindow): void {
  let hasIndex = false
  let hasSound = false
  let boxes = 0
  for (let at = 0; at + 8 <= file.size; boxes++) {
    if (boxes === mostChunks) throw audioRefusals.damaged()
    const head = file.read(at, 16)
    const name = head.toString('latin1', 4, 8)
    const size = boxSize(head, file.size - at)
    if (size < 8) throw audioRefusals.damaged()
    if (at + size > file.size) throw name === 'mdat' ? audioRefusals.unfinished() : audioRefusals.damaged()
    const most = name === 'moov' ? largestIndex : largestOther
    if (!skipped.includes(name) && size > most) throw audioRefusals.damaged()
    hasIndex ||= name === 'moov'
    hasSound ||= name === 'mdat' && size > 16
    at += size
  }
  if (!hasIndex) throw audioRefusals.unfinished()
  if (!hasSound) throw audioRefusals.noSound()
}

function boxSize(head: Buffer, rest: number): number {
  const size = head.readUInt32BE(0)
  if (size === 0) return rest
  if (size > 1) return size
  return head.length < 16 ? 0 : Number(head.readBigUInt64BE(8))
}

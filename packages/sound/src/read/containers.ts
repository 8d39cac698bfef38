import { viewOf, latinText, type ByteWindow } from './bytes.ts'
import { audioRefusals } from './refusals.ts'
import { knownLength, wavChunks } from './wav.ts'

/**
 * Duration of a WAV by its own chunks (RIFF, Microsoft and IBM 1991), as far as its bytes are present.
 *
 * @throws Problem `unsupported_audio` where it is truncated, without samples or in a format that browsers do not play
 */
export function measureWav(file: ByteWindow): number {
  let bytesPerSecond = 0
  for (const { name, at, size } of wavChunks(file)) {
    if (name === 'fmt ') bytesPerSecond = readFormat(file.read(at + 8, 40))
    if (name === 'data') return wavSeconds(size, file.size - at - 8, bytesPerSecond)
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

function readFormat(format: Uint8Array): number {
  if (format.length < 16) throw audioRefusals.damaged()
  const view = viewOf(format)
  const tag = view.getUint16(0, true)
  const kind = tag === 0xfffe && format.length >= 26 ? view.getUint16(24, true) : tag
  if (!playableWav.has(kind)) throw audioRefusals.unplayable(`WAV ${kind}`)
  return view.getUint32(8, true)
}

/** Eight channels of 32 bits at 384 kHz. */
const mostBytesPerSecond = 8 * 4 * 384_000

function wavSeconds(declared: number, present: number, bytesPerSecond: number): number {
  if (bytesPerSecond === 0 || bytesPerSecond > mostBytesPerSecond) throw audioRefusals.damaged()
  const known = knownLength(declared)
  const seconds = Math.min(known ?? present, present) / bytesPerSecond
  if (known !== undefined && known - present > bytesPerSecond)
    throw audioRefusals.cutOff(seconds, known / bytesPerSecond)
  if (seconds === 0) throw audioRefusals.noSound()
  return seconds
}

/** What is read into memory: the index, of which ten hours need less than this, and small boxes. */
const largestIndex = 32 * 1024 * 1024
const largestOther = 1024 * 1024
/** Top-level boxes; one of ten hours in pieces of a second has fewer. */
const mostBoxes = 100_000
/** Boxes that are skipped, so that their size does not matter. */
const skipped = ['mdat', 'free', 'skip', 'wide', 'uuid']

/**
 * Checks the top-level boxes of an MP4 (ISO/IEC 14496-12 4.2): whether the index is present and the media data complete.
 *
 * @throws Problem `unsupported_audio`
 */
export function checkMp4(file: ByteWindow): void {
  let hasIndex = false
  let hasSound = false
  let boxes = 0
  for (let at = 0; at + 8 <= file.size; boxes++) {
    if (boxes === mostBoxes) throw audioRefusals.damaged()
    const head = file.read(at, 16)
    const name = latinText(head.subarray(4, 8))
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

function boxSize(head: Uint8Array, rest: number): number {
  const view = viewOf(head)
  const size = view.getUint32(0)
  if (size === 0) return rest
  if (size > 1) return size
  return head.length < 16 ? 0 : Number(view.getBigUint64(8))
}

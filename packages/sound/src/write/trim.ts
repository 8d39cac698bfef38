import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { latinText, viewOf, type ByteWindow, type Part } from '../read/bytes.ts'
import { gaplessOf, walkMp3 } from '../read/mp3-frames.ts'
import { audioRefusals } from '../read/refusals.ts'
import { knownLength, wavChunks } from '../read/wav.ts'
import { infoFrame, infoFrameBytes, shapeOf, type Mp3Facts } from './mp3-info-frame.ts'

/** Seconds to cut off at both ends. */
export interface Cut {
  readonly start: number
  readonly end: number
}

/**
 * A recording without seconds at its ends: whole frames of an MP3, whole samples of a WAV, without encoding any of them again.
 *
 * @returns the bytes of the new file in their order
 * @throws Problem `unsupported_audio`
 */
export const trimmedParts = (file: ByteWindow, extension: Exclude<AudioExtension, 'm4a'>, cut: Cut): Part[] =>
  extension === 'mp3' ? trimmedMp3(file, cut) : trimmedWav(file, cut)

/** The remaining frames, after the tag at the start of the recording and a new info frame. */
function trimmedMp3(file: ByteWindow, cut: Cut): Part[] {
  const frames: { at: number; bytes: number }[] = []
  let info: { at: number; bytes: number } | undefined
  const { gaveUp } = walkMp3(file, (at, bytes, isInfo) => {
    if (isInfo) info = { at, bytes }
    else frames.push({ at, bytes })
  })
  if (gaveUp || frames.length < 3) throw audioRefusals.damaged()
  const shape = shapeOf(new Uint8Array(file.read(frames[0]!.at, 4)))
  const perSecond = shape.sampleRate / shape.samples
  // A frame may need bits of the previous one, so one more frame stays, whose own sound may be lost.
  const from = Math.max(0, Math.floor(cut.start * perSecond) - 1)
  const to = Math.min(frames.length, Math.ceil(frames.length - cut.end * perSecond) + 1)
  const kept = frames.slice(from, to)
  if (kept.length < 3) throw audioRefusals.noSound()
  const [first, last] = [kept[0]!, kept.at(-1)!]
  const gapless = info && gaplessOf(file.read(info.at, info.bytes))
  const soundBytes = last.at + last.bytes - first.at
  const facts: Mp3Facts = {
    frames: kept.length,
    bytes: infoFrameBytes(shape) + soundBytes,
    delay: from === 0 ? (gapless?.delay ?? 0) : 0,
    padding: to === frames.length ? (gapless?.padding ?? 0) : 0,
    seekTable: Array.from({ length: 100 }, (_, percent) => {
      const frame = kept[Math.floor((percent * kept.length) / 100)]!
      return Math.min(255, Math.floor(((frame.at - first.at) * 256) / soundBytes))
    }),
    // Padding bytes make frames of one bitrate differ by one.
    isVariable: kept.some(({ bytes }) => Math.abs(bytes - first.bytes) > 1),
  }
  const tagEnd = Math.min(info?.at ?? first.at, frames[0]!.at)
  return [
    { from: 0, to: latinText(file.read(0, 3)) === 'ID3' ? tagEnd : 0 },
    infoFrame(shape, facts),
    { from: first.at, to: last.at + last.bytes },
  ]
}

/** The remaining samples, after the chunks that preceded them. */
function trimmedWav(file: ByteWindow, cut: Cut): Part[] {
  let format: { bytesPerSecond: number; align: number } | undefined
  let factAt: number | undefined
  for (const { name, at, size } of wavChunks(file)) {
    if (name === 'fmt ') {
      const fields = file.read(at + 8, 16)
      if (fields.length === 16) {
        const view = viewOf(fields)
        format = { bytesPerSecond: view.getUint32(8, true), align: view.getUint16(12, true) }
      }
    }
    if (name === 'fact' && size >= 4) factAt = at + 8
    if (name === 'data') {
      if (!format || format.align === 0 || at > largestHead) throw audioRefusals.damaged()
      return wavPieces(file, { ...format, dataAt: at + 8, declared: size, factAt }, cut)
    }
  }
  throw audioRefusals.damaged()
}

/** Limit of the bytes before the sound. */
const largestHead = 1 << 20

interface WavPlaces {
  bytesPerSecond: number
  align: number
  dataAt: number
  declared: number
  factAt: number | undefined
}

function wavPieces(file: ByteWindow, places: WavPlaces, { start, end }: Cut): Part[] {
  const { bytesPerSecond, align, dataAt, declared, factAt } = places
  const present = file.size - dataAt
  const length = Math.min(knownLength(declared) ?? present, present)
  const aligned = (seconds: number) => Math.floor((seconds * bytesPerSecond) / align) * align
  const from = aligned(start)
  const bytes = Math.floor((length - from - aligned(end)) / align) * align
  if (bytes <= 0) throw audioRefusals.noSound()
  const head = new Uint8Array(file.read(0, dataAt))
  if (head.length < dataAt) throw audioRefusals.damaged()
  const view = viewOf(head)
  view.setUint32(4, dataAt - 8 + bytes + (bytes % 2), true)
  view.setUint32(dataAt - 4, bytes, true)
  if (factAt !== undefined) view.setUint32(factAt, bytes / align, true)
  return [head, { from: dataAt + from, to: dataAt + from + bytes }, new Uint8Array(bytes % 2)]
}

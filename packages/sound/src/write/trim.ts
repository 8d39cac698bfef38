import { asynchronous, type ByteWindow, type Part } from '../read/bytes.ts'
import { gaplessOf, walkMp3 } from '../read/mp3-frames.ts'
import { soundStart } from '../read/mp3-tags.ts'
import { audioRefusals } from '../read/refusals.ts'
import { isSound, readWav } from '../read/wav.ts'
import { plainWav } from './plain-wav.ts'
import { infoFrameOf, shapeOf } from './mp3-info-frame.ts'

/** Seconds to cut off at both ends. */
export interface Cut {
  readonly start: number
  readonly end: number
}

/** The formats that can be trimmed, and how. */
const trimmers = { mp3: trimmedMp3, wav: trimmedWav }
export type TrimmableFormat = keyof typeof trimmers

export const isTrimmable = (extension: string): extension is TrimmableFormat =>
  Object.hasOwn(trimmers, extension)

/**
 * A recording without seconds at its ends: whole frames of an MP3, whole samples of a WAV, without encoding any of them again.
 *
 * @returns the bytes of the new file in their order
 * @throws Problem `unsupported_audio`
 */
export const trimmedParts = async (file: ByteWindow, extension: TrimmableFormat, cut: Cut): Promise<Part[]> =>
  trimmers[extension](file, cut)

/** The remaining frames, after the tag at the start of the recording and a new info frame. */
export function trimmedMp3(file: ByteWindow, cut: Cut): Part[] {
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
  const end = last.at + last.bytes
  const header = infoFrameOf(shape, {
    starts: kept.map(({ at }) => at),
    end,
    delay: from === 0 ? gapless?.delay : 0,
    padding: to === frames.length ? gapless?.padding : 0,
  })
  return [{ from: 0, to: soundStart(file) ?? 0 }, header, { from: first.at, to: end }]
}

/** The remaining samples under a plain header. */
async function trimmedWav(file: ByteWindow, { start, end }: Cut): Promise<Part[]> {
  const wav = await readWav(asynchronous(file))
  if (!isSound(wav) || wav.format.kind === 'mp3') throw audioRefusals.damaged()
  const { channels, bytesPerSample, sampleRate } = wav.format
  const frame = channels * bytesPerSample
  const aligned = (seconds: number) => Math.floor(seconds * sampleRate) * frame
  const [from, to] = [wav.start + aligned(start), wav.end - aligned(end)]
  if (to <= from) throw audioRefusals.noSound()
  return plainWav(wav.format, { from, to })
}

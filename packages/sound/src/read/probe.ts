import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { fileTypeFromBuffer } from 'file-type'
import {
  asynchronous,
  latinText,
  viewOf,
  windowOf,
  type ByteWindow,
  type Part,
  type Stretch,
} from './bytes.ts'
import { readContainer, type ContainedSound } from './container.ts'
import type { Id3Chapter } from './id3-text.ts'
import { isFreeFormat, walkMp3 } from './mp3-frames.ts'
import { soundStart } from './mp3-tags.ts'
import { audioRefusals } from './refusals.ts'
import { isSound, readWav, type WavSound } from './wav.ts'

/** Format and duration of a recording, from its bytes. */
export interface AudioFacts {
  readonly extension: AudioExtension
  readonly mime: string
  /** Counted: the sound that is there, whatever a header says. */
  readonly durationSeconds: number
  /** Whether it has to be written anew before browsers play it, or play it to its end. */
  readonly isRewrapped: boolean
  /** The length that its structure asks for, in seconds, if the file ends more than a second before. */
  readonly wholeSeconds?: number | undefined
  /** The length that its header declares, in seconds, if more than a second of sound lies behind it. */
  readonly declaredSeconds?: number | undefined
  /** Chapters of an MP3 that is stored as it came. */
  readonly chapters?: readonly Id3Chapter[]
  /** Whether an MP3 ends within a frame, as many that are whole do. */
  readonly endsInFrame?: boolean
}

/** A recording that was read, and how it is written anew if it has to be. */
export interface ReadRecording {
  readonly facts: AudioFacts
  readonly rewrap?: Rewrap | undefined
}

/** The sound in another container or under a true header. */
export type Rewrap =
  /** `inside` is the part of the file that is the MP3. */
  | { readonly kind: 'mp3 header'; readonly inside?: Stretch }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'wav'; readonly sound: WavSound }
  | { readonly kind: 'contained'; readonly sound: ContainedSound }

/**
 * Determines format, duration and completeness of a recording from its bytes. Its name, its brand and the client's MIME type
 * are hints that are ignored: what sounds decides. For worker threads only: hostile bytes can keep it busy.
 *
 * @throws Problem `unsupported_audio` with the reason and how to fix it
 */
export async function readRecording(file: ByteWindow): Promise<ReadRecording> {
  if (file.size === 0) throw audioRefusals.empty()
  const wav = await readWav(asynchronous(file))
  if (wav === 'damaged') throw audioRefusals.damaged()
  if (isSound(wav)) return readingOfWav(file, wav)
  if (wav) throw audioRefusals.unplayable(wav.kind)
  if (looksLikeMp4(file)) checkBoxes(file)
  const start = soundStart(file)
  const isContained = start !== undefined && !isMp3Frame(file, start)
  const container = isContained ? await readContainer(file) : undefined
  if (container) {
    if (container.hasVideo) throw audioRefusals.video()
    if (!container.sound) throw audioRefusals.noSound()
    return readingOfSound(file, container.sound)
  }
  if (looksLikeMp4(file)) throw audioRefusals.damaged()
  return readMp3(file)
}

/** Whether this is a frame of layer III: raw AAC begins with the same eleven bits. */
function isMp3Frame(file: ByteWindow, at: number): boolean {
  const head = file.read(at, 2)
  return head[0] === 0xff && (head[1]! & 0xe6) === 0xe2
}

function factsOf(
  extension: AudioExtension,
  durationSeconds: number,
  more: Partial<AudioFacts> = {},
): AudioFacts {
  return { extension, mime: audioMime[extension], durationSeconds, isRewrapped: false, ...more }
}

async function readMp3(file: ByteWindow): Promise<ReadRecording> {
  if (isFreeFormat(file)) throw audioRefusals.freeFormat()
  const walk = walkMp3(file)
  const { frames, durationSeconds, audioBytes, junkBytes, gaveUp, endsInside, otherRate } = walk
  const isMostlySound = audioBytes >= file.size * 0.9
  if (!isMostlySound) {
    const other = await otherFormat(file)
    if (other) throw other
    if (!isMp3Frame(file, soundStart(file) ?? 0)) throw audioRefusals.notAudio()
  }
  if (gaveUp || frames < 3 || audioBytes < junkBytes) throw audioRefusals.damaged()
  if (otherRate !== undefined) throw audioRefusals.changesRate()
  const missing = walk.declaredSeconds ? walk.declaredSeconds - durationSeconds : 0
  // A file that was cut by frames, without losing a part of one, is whole: only its header is old.
  const wholeSeconds = missing > 1 && endsInside ? walk.declaredSeconds : undefined
  const declaredSeconds = missing < -1 ? walk.declaredSeconds : undefined
  // Without a table, players guess the length and the places of a variable bitrate by the first frames.
  const isWithoutTable = !walk.declaredSeconds && walk.isVariable
  // WebKit plays the first second alone if bytes that are no frame lie in front.
  const start = soundStart(file)
  const hasJunkInFront = start !== undefined && (walk.firstAt ?? 0) > start
  const isRewrapped = Math.abs(missing) > 1 || isWithoutTable || hasJunkInFront
  // Players leave out the silence that the encoder added.
  const played = Math.max(durationSeconds / 2, durationSeconds - walk.skippedSeconds)
  const facts = factsOf('mp3', played, {
    isRewrapped,
    wholeSeconds,
    declaredSeconds,
    endsInFrame: endsInside,
  })
  return { facts, rewrap: isRewrapped ? { kind: 'mp3 header' } : undefined }
}

/** The reason for bytes of another kind, which is named; undefined for unknown ones. */
async function otherFormat(file: ByteWindow) {
  const type = await fileTypeFromBuffer(new Uint8Array(file.read(0, 4_100))).catch(() => undefined)
  if (!type || type.ext === 'mp3') return undefined
  if (type.mime.startsWith('video/')) return audioRefusals.video()
  return type.mime.startsWith('audio/')
    ? audioRefusals.unplayable(type.ext.toUpperCase())
    : audioRefusals.notAudio()
}

async function readingOfWav(file: ByteWindow, wav: WavSound): Promise<ReadRecording> {
  const { format, start, end, seconds, wholeSeconds, declaredSeconds } = wav
  if (end === start) throw audioRefusals.noSound()
  if (format.kind === 'mp3') {
    const inside = { from: start, to: end }
    const { facts, rewrap } = await readMp3(windowOf(file, inside))
    return {
      // The bitrate in the outer header is a guess; the frames are not.
      facts: { ...facts, isRewrapped: true },
      rewrap: rewrap ? { kind: 'mp3 header', inside } : { kind: 'part', part: inside },
    }
  }
  const isRewrapped = wav.isMisleading || !isPlayable(wav)
  const facts = factsOf('wav', seconds, { isRewrapped, wholeSeconds, declaredSeconds })
  return { facts, rewrap: isRewrapped ? { kind: 'wav', sound: wav } : undefined }
}

/** Chromium plays at most eight channels, and no float of 64 bits. */
export const isPlayable = ({ format }: Pick<WavSound, 'format'>): boolean =>
  format.channels <= 8 && format.bytesPerSample <= 4

function readingOfSound(file: ByteWindow, sound: ContainedSound): ReadRecording {
  const { codec, seconds, presentSeconds } = sound
  if (typeof codec === 'object') throw audioRefusals.unplayable(codec.unplayable)
  const present = presentSeconds ?? seconds
  if (!(present > 0) || !Number.isFinite(present)) throw audioRefusals.noSound()
  const wholeSeconds = seconds - present > 1 ? seconds : undefined
  const extension = codec === 'aac' ? 'm4a' : codec === 'mp3' ? 'mp3' : 'wav'
  const isRewrapped = extension !== 'm4a' || presentSeconds !== undefined || !hasKnownBrand(file)
  const facts = factsOf(extension, present, { isRewrapped, wholeSeconds })
  return { facts, rewrap: isRewrapped ? { kind: 'contained', sound } : undefined }
}

/** Brands of MP4 files that every browser plays. */
const knownBrands = /^(?:M4A |M4B |isom|iso[2-9]|mp4[12]|dash|avc1|MSNV)$/

const hasKnownBrand = (file: ByteWindow): boolean => {
  const head = file.read(0, 12)
  return latinText(head.subarray(4, 8)) === 'ftyp' && knownBrands.test(latinText(head.subarray(8, 12)))
}

const looksLikeMp4 = (file: ByteWindow): boolean =>
  ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].includes(latinText(file.read(4, 4)))

/** Limits of boxes that are read into memory: the index of ten hours needs less. */
const largestIndex = 32 * 1024 * 1024
const largestOther = 1024 * 1024
/** Limit of top-level boxes: ten hours in fragments of a second have fewer. */
const mostBoxes = 100_000
/** Boxes that are skipped, so that their size does not matter. */
const skipped = ['mdat', 'free', 'skip', 'wide', 'uuid']

/**
 * Checks the top-level boxes of an MP4 (ISO/IEC 14496-12 4.2) before the library reads its index into memory: whether there
 * is one, and its size.
 *
 * @throws Problem `unsupported_audio`
 */
function checkBoxes(file: ByteWindow): void {
  let hasIndex = false
  let boxes = 0
  for (let at = 0; at + 8 <= file.size; boxes++) {
    if (boxes === mostBoxes) throw audioRefusals.damaged()
    const head = file.read(at, 16)
    const name = latinText(head.subarray(4, 8))
    const size = boxSize(head, file.size - at)
    if (size < 8) throw audioRefusals.damaged()
    if (at + size > file.size && name !== 'mdat') throw audioRefusals.damaged()
    const most = name === 'moov' ? largestIndex : largestOther
    if (!skipped.includes(name) && size > most) throw audioRefusals.damaged()
    hasIndex ||= name === 'moov'
    at += size
  }
  if (!hasIndex) throw audioRefusals.unfinished()
}

function boxSize(head: Uint8Array, rest: number): number {
  const view = viewOf(head)
  const size = view.getUint32(0)
  if (size === 0) return rest
  if (size > 1) return size
  return head.length < 16 ? 0 : Number(view.getBigUint64(8))
}

/** How complete a recording is by its own structure. */
export interface Wholeness {
  /** 'unknown' if it cannot be read, as the start of an unfinished one. */
  readonly state: 'whole' | 'cut off' | 'unknown'
  /** The share that is there, if its structure gives it. */
  readonly percent?: number | undefined
}

/**
 * Judges how complete a recording is. Needed because an SFTP client that aborts closes its file regularly. An MP3 without a
 * header is cut off if its last frame is.
 */
export async function wholeness(file: ByteWindow): Promise<Wholeness> {
  try {
    const { facts } = await readRecording(file)
    const { durationSeconds, wholeSeconds, endsInFrame } = facts
    const percent = wholeSeconds && Math.floor((durationSeconds / wholeSeconds) * 100)
    return { state: wholeSeconds !== undefined || endsInFrame ? 'cut off' : 'whole', percent }
  } catch (error) {
    const { message } = error as Error
    return { state: perhapsUnfinished.includes(message) ? 'unknown' : 'whole' }
  }
}

const perhapsUnfinished = (['empty', 'noSound', 'damaged', 'unfinished'] as const).map(
  (reason) => audioRefusals[reason]().message,
)

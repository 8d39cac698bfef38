import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { fileTypeFromTokenizer } from 'file-type'
import { latinText, viewOf, type ByteWindow } from './bytes.ts'
import { ByteTokenizer, parse } from './metadata.ts'
import { walkMp3 } from './mp3-frames.ts'
import { audioRefusals } from './refusals.ts'
import { knownLength, wavChunks } from './wav.ts'

/** Format and duration of a recording, from its bytes. */
export interface AudioFacts {
  extension: AudioExtension
  mime: string
  durationSeconds: number
}

/**
 * Determines format, duration and completeness of a recording from its bytes. Its name and the client's MIME type are
 * ignored. For worker threads only: hostile bytes can keep it busy.
 *
 * @throws Problem `unsupported_audio` with the reason and how to fix it
 */
export async function probeRecording(file: ByteWindow): Promise<AudioFacts> {
  if (file.size === 0) throw audioRefusals.empty()
  const extension = await kindOf(file)
  return { extension, mime: audioMime[extension], durationSeconds: await measure[extension](file) }
}

async function kindOf(file: ByteWindow): Promise<AudioExtension> {
  // If the detector throws, as for some damaged files, the type is unknown.
  const type = await fileTypeFromTokenizer(new ByteTokenizer(file)).catch(() => undefined)
  switch (type?.ext) {
    case 'mp3':
      return 'mp3'
    case 'wav':
      return 'wav'
    case 'm4a':
    case 'm4b':
    case 'mp4':
      return 'm4a'
    case '3gp':
    case '3g2':
      throw audioRefusals.unplayable('3GP')
    case 'mov':
    case 'm4v':
    case 'avi':
    case 'mkv':
    case 'webm':
      throw audioRefusals.video()
    case undefined:
      break
    default:
      throw type?.mime.startsWith('audio/')
        ? audioRefusals.unplayable(type.ext.toUpperCase())
        : audioRefusals.notAudio()
  }
  // Some recorders write bytes before the first frame, and any file may contain bytes that look like a frame.
  const { audioBytes } = walkMp3(file)
  if (audioBytes < file.size * 0.9) throw audioRefusals.notAudio()
  return 'mp3'
}

const measure: Record<AudioExtension, (file: ByteWindow) => number | Promise<number>> = {
  mp3: (file) => {
    const { frames, durationSeconds, declaredSeconds, audioBytes, junkBytes, gaveUp } = walkMp3(file)
    if (gaveUp || frames < 3 || audioBytes < junkBytes) throw audioRefusals.damaged()
    if (declaredSeconds !== undefined && declaredSeconds - durationSeconds > 1) {
      throw audioRefusals.cutOff(durationSeconds, declaredSeconds)
    }
    return durationSeconds
  },
  wav: (file) => measureWav(file),
  m4a: (file) => {
    checkMp4(file)
    return measureM4a(file)
  },
}

async function measureM4a(file: ByteWindow): Promise<number> {
  // If no type is given, the parser goes by the extension of the file.
  const { format } = await parse(file, audioMime.m4a).catch(() => {
    throw audioRefusals.damaged()
  })
  if (format.hasVideo) throw audioRefusals.video()
  const codec = format.codec ?? ''
  if (!codec.includes('AAC')) throw codec === '' ? audioRefusals.noSound() : audioRefusals.unplayable(codec)
  if (!format.duration || !Number.isFinite(format.duration)) throw audioRefusals.noSound()
  return format.duration
}

/**
 * Duration of a WAV by its own chunks (RIFF, Microsoft and IBM 1991), as far as its bytes are present.
 *
 * @throws Problem `unsupported_audio` if it is truncated, has no samples or a format that browsers do not play
 */
function measureWav(file: ByteWindow): number {
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

/** Limits of boxes that are read into memory: the index of ten hours needs less. */
const largestIndex = 32 * 1024 * 1024
const largestOther = 1024 * 1024
/** Limit of top-level boxes: ten hours in fragments of a second have fewer. */
const mostBoxes = 100_000
/** Boxes that are skipped, so that their size does not matter. */
const skipped = ['mdat', 'free', 'skip', 'wide', 'uuid']

/**
 * Checks the top-level boxes of an MP4 (ISO/IEC 14496-12 4.2): whether the index is present and the media data complete.
 *
 * @throws Problem `unsupported_audio`
 */
function checkMp4(file: ByteWindow): void {
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

/** How complete a recording is, according to its own headers. */
export interface Wholeness {
  /** Bytes of the complete file, if a header gives them. */
  wholeBytes: number | undefined
  /** Whether the file ends in the middle of the sound. */
  endsInside: boolean
}

/**
 * Reads the expected length from a recording's headers: the chunks of a WAV, the boxes of an MP4, the Xing header of an MP3,
 * and whether the last frame of an MP3 is complete. Needed because an SFTP client that aborts closes its file regularly.
 */
export function wholeness(file: ByteWindow): Wholeness {
  const head = file.read(0, 16)
  const kind = latinText(head.subarray(0, 4))
  if (kind === 'RIFF' && head.length >= 8) return { wholeBytes: riffBytes(head), endsInside: false }
  if (latinText(head.subarray(4, 8)) === 'ftyp') {
    return { wholeBytes: mp4Bytes(file), endsInside: false }
  }
  if (kind.startsWith('ID3') || head[0] === 0xff) {
    const { endsInside, declaredBytes } = walkMp3(file)
    return { wholeBytes: declaredBytes, endsInside }
  }
  return { wholeBytes: undefined, endsInside: false }
}

function riffBytes(head: Uint8Array): number | undefined {
  const size = knownLength(viewOf(head).getUint32(4, true))
  return size === undefined ? undefined : size + 8
}

/** End of the furthest box. Without an index the remaining boxes are unknown. */
function mp4Bytes(file: ByteWindow): number | undefined {
  let at = 0
  while (at + 8 <= file.size) {
    const head = file.read(at, 16)
    const view = viewOf(head)
    const size = view.getUint32(0)
    const bytes = size === 1 && head.length === 16 ? Number(view.getBigUint64(8)) : size
    if (bytes < 8) return undefined
    at += bytes
  }
  return at
}

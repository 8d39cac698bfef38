import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { asynchronous, type ByteWindow, type Part } from '@fellowship/sound/read/bytes'
import { readChapters } from '@fellowship/sound/read/metadata'
import { isMonoMp3 } from '@fellowship/sound/read/mp3-frames'
import { readRecording, wholeness, type AudioFacts, type Wholeness } from '@fellowship/sound/read/probe'
import { audioRefusals } from '@fellowship/sound/read/refusals'
import { writeRewrapped, type NewFile } from '@fellowship/sound/write/rewrap'
import { trimmedParts, type Cut, type TrimmableFormat } from '@fellowship/sound/write/trim'

/*
 * Recordings in files. Only worker threads and child processes may call this: it reads synchronously, and hostile bytes can
 * keep it busy.
 */

/** @throws Problem `unsupported_audio` with the reason and how to fix it */
export const readAudio = (path: string): Promise<AudioFacts> =>
  withFile(path, async (file) => {
    const { facts } = await readRecording(file)
    if (facts.extension !== 'mp3' || facts.isRewrapped) return facts
    const chapters = await readChapters(asynchronous(file))
    return chapters.length > 0 ? { ...facts, chapters } : facts
  })

export const readWholeness = (path: string): Promise<Wholeness> =>
  withFile(path, async (file) => wholeness(file))

/** Whether the frames of an MP3 have one channel. */
export const isMono = (path: string): Promise<boolean> => withFile(path, async (file) => isMonoMp3(file))

/** A recording to be decoded. */
export interface HearingJob {
  readonly path: string
  readonly extension: AudioExtension
  readonly bytes: number
  /** Its counted length. */
  readonly seconds: number
  /** The program that decodes M4A. */
  readonly ffmpeg?: string | undefined
}

/** A recording to be trimmed into another file. */
export interface TrimJob extends Cut {
  readonly path: string
  readonly extension: TrimmableFormat
  /** The file that is written. */
  readonly target: string
}

/**
 * Copies a recording without seconds at its ends.
 *
 * @returns the bytes written
 * @throws Problem `unsupported_audio`
 */
export function trimRecording({ path, extension, target, ...cut }: TrimJob): Promise<number> {
  return withFile(path, async (file, source) =>
    writeFile(source, target, async (out) => {
      for (const part of await trimmedParts(file, extension, cut)) out.append(part)
    }),
  )
}

/** A recording to be written anew into another file. */
export interface RewrapJob {
  readonly path: string
  /** The file that is written. */
  readonly target: string
}

/**
 * Writes the sound of a recording into a container that browsers play. Nothing is written if it needs none.
 *
 * @returns the bytes written
 * @throws Problem `unsupported_audio`
 */
export function rewrapRecording({ path, target }: RewrapJob): Promise<number> {
  return withFile(path, async (file, source) => {
    const { rewrap } = await readRecording(file)
    return rewrap ? writeFile(source, target, (out) => writeRewrapped(file, rewrap, out)) : 0
  })
}

/** Writes a file in parts, and syncs it to disk. Returns its bytes. */
async function writeFile(
  source: number,
  target: string,
  write: (out: NewFile) => Promise<void>,
): Promise<number> {
  const out = openSync(target, 'w')
  let end = 0
  try {
    await write({
      append: (part) => void (end += append(source, out, part)),
      put(bytes, at) {
        writeAll(out, bytes, at)
        end = Math.max(end, at + bytes.length)
      },
    })
    fsyncSync(out)
    return end
  } finally {
    closeSync(out)
  }
}

/** Appends a part; returns its bytes. */
function append(source: number, out: number, part: Part): number {
  if (!('from' in part)) {
    writeAll(out, part)
    return part.length
  }
  const buffer = Buffer.allocUnsafe(1 << 20)
  for (let at = part.from; at < part.to;) {
    const read = readSync(source, buffer, 0, Math.min(buffer.length, part.to - at), at)
    if (read === 0) throw audioRefusals.damaged()
    writeAll(out, buffer.subarray(0, read))
    at += read
  }
  return part.to - part.from
}

/** Writes at `position`, or after the bytes that were written last. */
function writeAll(out: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length;) {
    at += writeSync(out, bytes, at, bytes.length - at, position === undefined ? null : position + at)
  }
}

async function withFile<Result>(
  path: string,
  read: (file: ByteWindow, descriptor: number) => Promise<Result>,
): Promise<Result> {
  const descriptor = openSync(path, 'r')
  try {
    return await read(fileWindow(descriptor), descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads a file through one buffer. */
function fileWindow(fd: number, pieceBytes = 1 << 20): ByteWindow {
  const { size } = fstatSync(fd)
  const piece = Buffer.allocUnsafe(pieceBytes)
  let start = 0
  let filled = 0
  return {
    size,
    read(at, length) {
      if (at < start || at + length > start + filled) {
        start = at
        filled = at < size ? readSync(fd, piece, 0, piece.length, at) : 0
      }
      return piece.subarray(at - start, Math.min(at - start + length, filled))
    },
    memory: () => ({ bytes: piece, start, end: start + filled }),
  }
}

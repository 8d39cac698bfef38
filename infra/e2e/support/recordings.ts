import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A recording as a file input takes it. */
export interface Recording {
  name: string
  mimeType: string
  buffer: Buffer
}

let folder: string | undefined

/** The recording as a file of this machine, for as long as the tests of this file run. */
export function onDisk({ name, buffer }: Recording): string {
  if (folder === undefined) {
    folder = mkdtempSync(path.join(tmpdir(), 'given-'))
    process.once('exit', () => rmSync(folder!, { recursive: true, force: true }))
  }
  const file = path.join(folder, name)
  writeFileSync(file, buffer)
  return file
}

/** Every recording made here is unlike all others, though each sounds like its fixture. */
let made = 0

/**
 * An MP3 of six seconds, or of at least `bytes`: its frames over and over, 4 kB for a second.
 *
 * @param name the file's name, with its ending
 */
export function mp3(name: string, { bytes = 0 } = {}): Recording {
  const whole = bytes > 0 ? repeatedFrames(bytes) : fixture('cbr.mp3')
  // ID3v1 (id3.org/ID3v1): the last 128 bytes of a file, which no player plays.
  const tag = Buffer.alloc(128)
  tag.write(`TAGRecording ${++made}`, 'latin1')
  return { name, mimeType: 'audio/mpeg', buffer: Buffer.concat([whole, tag]) }
}

/** A WAV of three seconds. Its last sample is its own. */
export function wav(name: string): Recording {
  const buffer = fixture('speech.wav')
  buffer.writeInt16LE(++made % 30_000, buffer.length - 2)
  return { name, mimeType: 'audio/wav', buffer }
}

/** An M4A of six seconds. A closing `free` box (ISO/IEC 14496-12 8.1.2) holds what is its own. */
export function m4a(name: string): Recording {
  const free = Buffer.alloc(16)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  free.writeUInt32BE(++made, 8)
  return { name, mimeType: 'audio/mp4', buffer: Buffer.concat([fixture('faststart.m4a'), free]) }
}

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../../dev/fixtures', name))

/**
 * The fixture's frames as often as needed, without its ID3v2 tag (bytes 6 to 9 hold its size, seven bits each) and
 * without its first frame, whose Info header would go on telling six seconds.
 */
function repeatedFrames(bytes: number): Buffer {
  const whole = fixture('cbr.mp3')
  const tagBytes = 10 + whole.subarray(6, 10).reduce((size, part) => size * 128 + part, 0)
  const frames = whole.subarray(tagBytes + infoFrameBytes)
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / frames.length) }, () => frames))
}

/** 576 samples at 22,050 Hz and 56 kbit/s. */
const infoFrameBytes = Math.floor((72 * 56_000) / 22_050)

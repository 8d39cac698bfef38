import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A recording, as Playwright's file input takes it. */
export interface RecordingFile {
  name: string
  mimeType: string
  buffer: Buffer
}

let folder: string | undefined

/** Writes the recording to a temporary file; its path. */
export function onDisk({ name, buffer }: RecordingFile): string {
  if (folder === undefined) {
    folder = mkdtempSync(path.join(tmpdir(), 'given-'))
    process.once('exit', () => rmSync(folder!, { recursive: true, force: true }))
  }
  const file = path.join(folder, name)
  writeFileSync(file, buffer)
  return file
}

/** Makes each recording unique, since duplicates are refused. */
let made = 0

/**
 * An MP3 of six seconds, or of at least `bytes` by repeating its frames, 4 kB per second.
 *
 * @param name file name with extension
 * @param size.isShort its bytes are those of a tag: the server, which listens to an upload, has six seconds to hear
 */
export function mp3(name: string, size: { bytes?: number; isShort?: boolean } = {}): RecordingFile {
  // ID3v1 (id3.org/ID3v1): the last 128 bytes of a file, ignored by players.
  const tag = Buffer.alloc(128)
  tag.write(`TAGRecording ${++made}`, 'latin1')
  return { name, mimeType: 'audio/mpeg', buffer: Buffer.concat([framesOf(size), tag]) }
}

function framesOf({ bytes = 0, isShort = false }: { bytes?: number; isShort?: boolean }): Buffer {
  if (bytes === 0) return fixture('cbr.mp3')
  if (!isShort) return repeatedFrames(bytes)
  const whole = fixture('cbr.mp3')
  return Buffer.concat([largeTag(bytes), whole.subarray(tagBytes(whole))])
}

/** An ID3v2.4 tag whose one frame, PRIV (4.27), holds zeros. */
function largeTag(bytes: number): Buffer {
  const tag = Buffer.alloc(bytes)
  tag.write('ID3\u0004', 'latin1')
  writeSize(tag, 6, bytes - 10)
  tag.write('PRIV', 10, 'latin1')
  writeSize(tag, 14, bytes - 20)
  tag.write('tests', 20, 'latin1')
  return tag
}

/** Seven bits in each of four bytes. */
function writeSize(tag: Buffer, at: number, size: number): void {
  for (const [byte, shift] of [21, 14, 7, 0].entries()) tag[at + byte] = (size >> shift) & 127
}

/** A WAV of three seconds, made unique by its last sample. */
export function wav(name: string): RecordingFile {
  const buffer = fixture('speech.wav')
  buffer.writeInt16LE(++made % 30_000, buffer.length - 2)
  return { name, mimeType: 'audio/wav', buffer }
}

/** A WAV with a tone in two channels of 16 bits at 48 kHz: 192 kB for each second. */
export function stereoWav(name: string, seconds: number): RecordingFile {
  const rate = 48_000
  const second = Buffer.alloc(rate * 4)
  for (let at = 0; at < rate * 2; at++)
    second.writeInt16LE(8_000 * Math.sin((Math.floor(at / 2) * 2 * Math.PI * 330) / rate), at * 2)
  const sound = Buffer.concat(Array.from({ length: seconds }, () => second))
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + sound.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 4, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(sound.length, 40)
  return { name, mimeType: 'audio/wav', buffer: Buffer.concat([head, sound]) }
}

/** An M4A of six seconds, made unique by a closing `free` box (ISO/IEC 14496-12 8.1.2). */
export function m4a(name: string): RecordingFile {
  const free = Buffer.alloc(16)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  free.writeUInt32BE(++made, 8)
  return { name, mimeType: 'audio/mp4', buffer: Buffer.concat([fixture('faststart.m4a'), free]) }
}

/** An MP3 without its tags, which the server replaces in a download by one of its own. */
export function soundOf(file: Buffer): Buffer {
  const from = file.toString('latin1', 0, 3) === 'ID3' ? tagBytes(file) : 0
  const to = file.toString('latin1', file.length - 128, file.length - 125) === 'TAG' ? -128 : undefined
  return file.subarray(from, to)
}

/** ID3v2.4 3.1: a header of ten bytes, the last four of which are the size, seven bits each. */
const tagBytes = (file: Buffer) => 10 + file.subarray(6, 10).reduce((size, byte) => size * 128 + byte, 0)

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../../dev/fixtures', name))

/**
 * The fixture's frames repeated, without its ID3v2 tag and without its first frame, whose Info header declares six seconds.
 */
function repeatedFrames(bytes: number): Buffer {
  const whole = fixture('cbr.mp3')
  const frames = whole.subarray(tagBytes(whole) + infoFrameBytes)
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / frames.length) }, () => frames))
}

/** 576 samples at 22,050 Hz and 56 kbit/s. */
const infoFrameBytes = Math.floor((72 * 56_000) / 22_050)

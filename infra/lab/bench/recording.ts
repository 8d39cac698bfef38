import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import type { BenchLibrary } from './library.ts'

export const mebibyte = 1024 * 1024

/** Just below the upload limit. */
export const recordingBytes = 100 * mebibyte - 64 * 1024

/** A playable MP3 of about this many bytes: a fixture repeated, made unique by a number in its ID3v1 tag. */
export async function longRecording(bytes: number, number: number): Promise<Buffer> {
  const fixture = await readFile(path.join(import.meta.dirname, '../../dev/fixtures/cbr.mp3'))
  const frames = fixture.subarray(startOfFrames(fixture))
  const tag = Buffer.alloc(128)
  tag.write(`TAGBench ${number}`, 'latin1')
  const copies = Math.floor((bytes - tag.length) / frames.length)
  return Buffer.concat([...Array<Buffer>(copies).fill(frames), tag])
}

/** Offset after the ID3v2 tag, whose length has seven bits per byte (ID3v2.4, 3.1). */
function startOfFrames(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + ((file[6]! << 21) | (file[7]! << 14) | (file[8]! << 7) | file[9]!)
}

/** Uploads a recording through the API; the path of its audio URL. */
export async function publish(
  { browser }: Pick<BenchLibrary, 'browser'>,
  recording: Buffer,
  title: string,
): Promise<string> {
  const file = new File([new Uint8Array(recording)], 'recording.mp3')
  const body = { title, speaker: 'Sample Speaker', date: '2026-11-15', scriptureReference: '' }
  await call(uploads.smartUpload, { body, files: { audioFile: file } }, browser)
  const list = await call(teachings.list, {}, browser)
  return list.find((teaching) => teaching.title === title)!.audioUrl!
}

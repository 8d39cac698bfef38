import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { oneRate, UnreadableSound, type PcmChunk } from '@fellowship/sound/read/pcm'
import { decodeMp3 } from '@fellowship/sound/read/samples'
import { wavSamples } from '@fellowship/sound/read/wav'
import { isMono } from '../recording-files.ts'

interface PcmOptions {
  /** The program that decodes M4A. */
  readonly ffmpeg?: string | undefined
  /** Called with the bytes read so far. */
  readonly onRead?: (bytes: number) => void
}

/**
 * Decodes a recording piece by piece, in constant memory.
 *
 * @throws UnreadableSound
 */
export async function* pcmStream(
  path: string,
  extension: AudioExtension,
  { ffmpeg, onRead = () => undefined }: PcmOptions = {},
): AsyncGenerator<PcmChunk> {
  yield* oneRate(await decode())

  async function decode(): Promise<AsyncGenerator<PcmChunk>> {
    switch (extension) {
      case 'mp3':
        return decodeMp3(fileBytes(path, onRead), await isMono(path))
      case 'wav':
        return wavSamples(fileBytes(path, onRead))
      case 'm4a':
        if (ffmpeg === undefined) throw new UnreadableSound('M4A needs ffmpeg, which is not installed.')
        return wavSamples(ffmpegBytes(ffmpeg, path, onRead))
    }
  }
}

/** Reuses one buffer: a consumer that keeps bytes must copy them. */
async function* fileBytes(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  await using handle = await open(path, 'r')
  // One kilobyte of MP3 becomes twenty of samples.
  const piece = Buffer.allocUnsafeSlow(16 * 1024)
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    onRead(at)
    yield piece.subarray(0, bytesRead)
  }
}

/** Decodes to WAV on standard output. The protocol whitelist stops a playlist inside the file from reading other addresses. */
async function* ffmpegBytes(
  ffmpeg: string,
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const before = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe', '-f', 'mov']
  const after = ['-map', '0:a:0', '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1']
  const child = spawn(ffmpeg, [...before, '-i', `file:${path}`, ...after], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (text: Buffer) => (complaint = (complaint + text.toString()).slice(-500)))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  ended.catch(() => undefined)
  let total = 0
  try {
    for await (const piece of child.stdout as Readable) {
      total += (piece as Buffer).length
      onRead(total)
      yield piece as Buffer
    }
    if ((await ended) !== 0) throw new UnreadableSound(`ffmpeg could not read it: ${complaint.trim()}`)
  } finally {
    child.kill('SIGKILL')
  }
}

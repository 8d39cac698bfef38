import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { UnreadableSound, type PcmChunk } from '@fellowship/schema/audio/measure/pcm'
import { wavSamples } from './wav-samples.ts'
import { mp3Samples } from './mp3-samples.ts'

export interface PcmOptions {
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
  const chunks = oneRate(decode())
  yield* chunks

  function decode(): AsyncGenerator<PcmChunk> {
    switch (extension) {
      case 'mp3':
        return mp3Samples(path, fileBytes(path, onRead))
      case 'wav':
        return wavSamples(fileBytes(path, onRead))
      case 'm4a':
        if (ffmpeg === undefined) throw new UnreadableSound('M4A needs ffmpeg, which is not installed.')
        return wavSamples(ffmpegBytes(ffmpeg, path, onRead))
    }
  }
}

/** One buffer is read into again and again: a consumer that keeps bytes copies them. */
async function* fileBytes(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r')
  try {
    // A kilobyte of MP3 becomes twenty of samples.
    const piece = Buffer.allocUnsafeSlow(16 * 1024)
    for (let at = 0; ;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      onRead(at)
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** WAV on standard output. Only the file itself may be opened: a playlist inside must not make it read other addresses. */
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

/** A recording that was put together from parts of different sample rates has no single one to measure and copy by. */
async function* oneRate(chunks: AsyncIterable<PcmChunk>): AsyncGenerator<PcmChunk> {
  let rate: number | undefined
  for await (const chunk of chunks) {
    rate ??= chunk.sampleRate
    if (chunk.sampleRate !== rate) {
      throw new UnreadableSound(
        `The sample rate changes from ${rate} to ${chunk.sampleRate} Hz within the recording.`,
      )
    }
    yield chunk
  }
  if (rate === undefined) throw new UnreadableSound('There is no sound in it.')
}

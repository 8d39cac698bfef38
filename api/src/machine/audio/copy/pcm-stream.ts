import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { oneRate, UnreadableSound, type PcmChunk } from '@fellowship/sound/read/pcm'
import { decodeMp3 } from '@fellowship/sound/read/samples'
import { wavSamples } from '@fellowship/sound/read/wav'
import { limitedCommand } from '../../process/limited-command.ts'
import { isMono } from '../recording-files.ts'

interface PcmOptions {
  /** The program that decodes M4A. */
  readonly ffmpeg?: string | undefined
  /** Called with the bytes read so far. */
  readonly onRead?: (bytes: number) => void
  /** Longer sound is refused while it is decoded. */
  readonly mostSeconds?: number
}

/** Longer recordings get no copy: a file of the largest size lasts that long at 23 kbit/s. */
const longestSeconds = 24 * 60 * 60
/** Silence in AAC takes at least this many bytes a second. An index may repeat the same bytes for days. */
const fewestBytesPerSecond = 40

/**
 * The most sound that is decoded of a recording.
 *
 * @param declaredSeconds the length by its structure, if known
 * @throws UnreadableSound if its structure declares more than its bytes can hold
 */
export function plausibleSeconds(bytes: number, declaredSeconds?: number): number {
  const most = 60 + Math.min(bytes / fewestBytesPerSecond, longestSeconds)
  if (declaredSeconds === undefined) return most
  if (declaredSeconds > most) throw new UnreadableSound(tooMuchSound)
  return 60 + declaredSeconds * 1.1
}

const tooMuchSound = 'It has more sound than its size and its declared length allow.'

/**
 * Decodes a recording piece by piece, in constant memory.
 *
 * @throws UnreadableSound
 */
export async function* pcmStream(
  path: string,
  extension: AudioExtension,
  { ffmpeg, onRead = () => undefined, mostSeconds = longestSeconds }: PcmOptions = {},
): AsyncGenerator<PcmChunk> {
  let samples = 0
  for await (const chunk of oneRate(await decode())) {
    samples += chunk.channels[0]!.length
    if (samples > mostSeconds * chunk.sampleRate) {
      throw new UnreadableSound(tooMuchSound)
    }
    yield chunk
  }

  async function decode(): Promise<AsyncGenerator<PcmChunk>> {
    switch (extension) {
      case 'mp3':
        return decodeMp3(fileBytes(path, onRead), await isMono(path))
      case 'wav':
        return wavSamples(fileBytes(path, onRead))
      case 'm4a':
        if (ffmpeg === undefined) throw new UnreadableSound('M4A needs ffmpeg, which is not installed.')
        return wavSamples(ffmpegBytes({ ffmpeg, path, mostSeconds }, onRead))
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

/** It takes 60, and 64 bytes more for each frame of an index: two million frames are half a day. */
const ffmpegMegabytes = 192

/** Decodes to WAV on standard output. The protocol whitelist stops a playlist inside the file from reading other addresses. */
async function* ffmpegBytes(
  { ffmpeg, path, mostSeconds }: { ffmpeg: string; path: string; mostSeconds: number },
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const before = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe', '-f', 'mov']
  const one = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(Math.ceil(mostSeconds) + 1)]
  const after = [...one, '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1']
  // A slow processor decodes ten times as fast as it sounds.
  const cpuSeconds = Math.ceil(60 + mostSeconds / 5)
  const limits = { megabytes: ffmpegMegabytes, cpuSeconds, endsWithInput: true }
  const child = spawn(...limitedCommand(ffmpeg, [...before, '-i', `file:${path}`, ...after], limits), {
    stdio: ['pipe', 'pipe', 'pipe'],
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
    child.stdin.destroy()
    child.kill('SIGKILL')
  }
}

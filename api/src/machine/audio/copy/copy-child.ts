/*
 * The process that measures recordings and makes small copies, apart from the server: if a recording crashes the
 * decoder, the server survives, and the work has a low priority. The process ends when the channel to the server closes.
 * Started with its niceness as the argument.
 */
import { copyMinimumSaving } from '@fellowship/schema/copies/copies.limits'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { UnreadableSound, type PcmChunk } from '@fellowship/sound/read/pcm'
import { copyBytesOf } from '@fellowship/sound/write/small-copy'
import { lowerPriority } from '../../lower-priority.ts'
import type { CopyJob, CopyMessage, CopyResult } from './copy-process.ts'
import { readAudio } from '../recording-files.ts'
import { pcmStream, plausibleSeconds } from './pcm-stream.ts'
import { writeSmallCopy } from './small-copy.ts'

/** Shorter than the silence after which the server ends the process. */
const progressMs = 5_000

lowerPriority(Number(process.argv[2]))
process.on('disconnect', () => process.exit(0))
process.on('message', (job: CopyJob) => {
  void run(job)
})

async function run(job: CopyJob): Promise<void> {
  try {
    send({ kind: 'done', result: await copyOf(job) })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    send({ kind: 'failed', unreadable: error instanceof UnreadableSound, why })
  }
}

async function copyOf({ path, extension, bytes, target, ffmpeg }: CopyJob): Promise<CopyResult> {
  let last = Date.now()
  const onRead = () => {
    if (Date.now() - last < progressMs) return
    last = Date.now()
    send({ kind: 'progress' })
  }
  const declared = await readAudio(path).catch(() => undefined)
  const mostSeconds = plausibleSeconds(bytes, declared?.durationSeconds)
  const deadline = last + 5 * 60_000 + mostSeconds * 1000
  const samples = () => withDeadline(pcmStream(path, extension, { ffmpeg, onRead, mostSeconds }), deadline)
  const { mono, ...sound } = await measureSound(samples())
  const isWorthIt = copyBytesOf(sound.seconds) <= bytes * (1 - copyMinimumSaving)
  const copy = isWorthIt && mono.loudness !== null ? await writeSmallCopy(samples, mono, target) : null
  return { sound, copy }
}

/** A slow processor copies several times as fast as it sounds. */
async function* withDeadline(chunks: AsyncIterable<PcmChunk>, deadline: number): AsyncGenerator<PcmChunk> {
  for await (const chunk of chunks) {
    if (Date.now() > deadline) throw new Error('It took longer than it sounds.')
    yield chunk
  }
}

function send(message: CopyMessage): void {
  if (process.connected) process.send!(message)
}

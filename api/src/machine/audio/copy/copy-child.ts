/*
 * The process that measures recordings and makes small copies, apart from the server: what a recording's bytes do to a
 * decoder does not reach it, and its work has a low priority. It ends with the server, whose channel it then loses.
 * Started with its niceness as the argument.
 */
import { copyMinimumSaving } from '@fellowship/schema/copies/copies.limits'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { UnreadableSound } from '@fellowship/sound/read/pcm'
import { copyBytesOf } from '@fellowship/sound/write/small-copy'
import { lowerPriority } from '../../lower-priority.ts'
import type { CopyJob, CopyMessage, CopyResult } from './copy-process.ts'
import { pcmStream } from './pcm-stream.ts'
import { writeSmallCopy } from './small-copy.ts'

/** Often enough for a server that ends a process which says nothing. */
const progressMs = 5_000

lowerPriority(Number(process.argv[2]))
process.on('disconnect', () => process.exit(0))
process.on('message', (job: CopyJob) => {
  void run(job)
})

async function run(job: CopyJob): Promise<void> {
  try {
    say({ kind: 'done', result: await copyOf(job) })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    say({ kind: 'failed', unreadable: error instanceof UnreadableSound, why })
  }
}

async function copyOf({ path, extension, bytes, target, ffmpeg }: CopyJob): Promise<CopyResult> {
  let last = Date.now()
  const onRead = () => {
    if (Date.now() - last < progressMs) return
    last = Date.now()
    say({ kind: 'progress' })
  }
  const samples = () => pcmStream(path, extension, { ffmpeg, onRead })
  const { mono, ...sound } = await measureSound(samples())
  const isWorthIt = copyBytesOf(sound.seconds) <= bytes * (1 - copyMinimumSaving)
  const copy = isWorthIt && mono.loudness !== null ? await writeSmallCopy(samples, mono, target) : null
  return { sound, copy }
}

function say(message: CopyMessage): void {
  if (process.connected) process.send!(message)
}

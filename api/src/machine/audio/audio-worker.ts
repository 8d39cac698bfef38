/** A worker thread that reads recordings; `audio-reader.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import type { SoundDoubt } from '@fellowship/schema/copies/copies.contract'
import { Problem } from '@fellowship/schema/problem'
import { soundDoubts } from '@fellowship/sound/measure/measure-sound'
import { taggedIndex } from '@fellowship/sound/write/mp4-tags'
import { lowerPriority } from '../lower-priority.ts'
import type { ReadingAnswer, ReadingJob } from './audio-reader.ts'
import { pcmStream, plausibleSeconds } from './copy/pcm-stream.ts'
import {
  type HearingJob,
  readAudio,
  readWholeness,
  rewrapRecording,
  trimRecording,
} from './recording-files.ts'

// Linux gives each thread a priority of its own (sched(7)), so the one that answers requests goes first on a busy core. On other
// systems this would lower the whole process. Not lower than 5: a person waits for the check of an upload, which at 10 took over
// half a minute beside other programs.
if (process.platform === 'linux') lowerPriority(5)

parentPort?.on('message', (job: ReadingJob) => {
  void answer(job).then((message) => parentPort?.postMessage(message, ownBuffers(message)))
})

/** Moved instead of copied: an index has megabytes. */
const ownBuffers = (message: ReadingAnswer): ArrayBuffer[] =>
  'value' in message && message.value instanceof Uint8Array ? [message.value.buffer] : []

async function answer(job: ReadingJob): Promise<ReadingAnswer> {
  try {
    if (job.task === 'trim') return { value: await trimRecording(job) }
    if (job.task === 'rewrap') return { value: await rewrapRecording(job) }
    if (job.task === 'tag index') return { value: taggedIndex(job) }
    if (job.task === 'hear') return { value: await doubtsAbout(job) }
    return { value: await (job.task === 'probe' ? readAudio : readWholeness)(job.path) }
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.message }
    const { message, code } = error as NodeJS.ErrnoException
    return { failure: { message, code } }
  }
}

async function doubtsAbout(job: HearingJob): Promise<SoundDoubt[] | undefined> {
  const { path, extension, bytes, seconds, ffmpeg } = job
  try {
    const mostSeconds = plausibleSeconds(bytes, seconds)
    return await soundDoubts(pcmStream(path, extension, { ffmpeg, mostSeconds }))
  } catch (error) {
    // Decoders throw errors of several kinds for damaged sound.
    if ((error as NodeJS.ErrnoException).code === undefined) return undefined
    throw error
  }
}

/** A worker thread that reads recordings; `audio-reader.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { Problem } from '@fellowship/schema/problem'
import { taggedIndex } from '@fellowship/sound/write/mp4-tags'
import { lowerPriority } from '../lower-priority.ts'
import type { ReadingAnswer, ReadingJob } from './audio-reader.ts'
import { isSilent, readAudio, readWholeness, rewrapRecording, trimRecording } from './recording-files.ts'

// Linux gives each thread a priority of its own (sched(7)), so the one that answers requests goes first on a busy core. On other
// systems this would lower the whole process.
if (process.platform === 'linux') lowerPriority(10)

parentPort?.on('message', (job: ReadingJob) => {
  void answer(job).then((message) => parentPort?.postMessage(message))
})

async function answer(job: ReadingJob): Promise<ReadingAnswer> {
  try {
    if (job.task === 'trim') return { value: await trimRecording(job) }
    if (job.task === 'rewrap') return { value: await rewrapRecording(job) }
    if (job.task === 'tag index') return { value: taggedIndex(job) }
    if (job.task === 'silence') return { value: await isSilent(job.path) }
    return { value: await (job.task === 'probe' ? readAudio : readWholeness)(job.path) }
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.message }
    const { message, code } = error as NodeJS.ErrnoException
    return { failure: { message, code } }
  }
}

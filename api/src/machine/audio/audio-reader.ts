import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Problem } from '@fellowship/schema/problem'
import { JobStopped, workerPool, workerWithHeap, type WorkerPool } from '../worker-pool.ts'
import type { AudioFacts } from './audio-probe.ts'
import { audioRefusals } from './audio-refusals.ts'
import type { Wholeness } from './audio-wholeness.ts'
import type { TrimJob } from './trim-recording.ts'

export type ReadingJob =
  | { readonly task: 'probe' | 'wholeness'; readonly path: string }
  | ({ readonly task: 'trim' } & TrimJob)

/** Errors lose their class between threads, so each kind has a member of its own. */
export type ReadingAnswer =
  | { value: AudioFacts | Wholeness | number }
  /** The sentence of an `unsupported_audio`. */
  | { refusal: string }
  | { failure: { message: string; code: string | undefined } }

/**
 * Determines a recording's format and duration from its bytes, in a worker thread. Its name and the client's MIME type are
 * ignored.
 *
 * @param gone aborted when nobody waits for the answer any more: ends the reading
 * @throws Problem `unsupported_audio` with the reason and how to fix it; JobStopped once `gone`
 */
export async function probeAudio(file: string, gone?: AbortSignal): Promise<AudioFacts> {
  try {
    return (await read({ task: 'probe', path: file }, gone)) as AudioFacts
  } catch (error) {
    // Bytes that take too long or too much memory are no recording that a player could read.
    throw isGreedy(error) ? audioRefusals.damaged() : error
  }
}

/** How complete a recording is by its own headers, read in a worker thread; unknown where the bytes take too long. */
export async function wholenessOf(file: string): Promise<Wholeness> {
  try {
    return (await read({ task: 'wholeness', path: file })) as Wholeness
  } catch (error) {
    if (!isGreedy(error)) throw error
    return { wholeBytes: undefined, endsInside: false }
  }
}

/**
 * Writes a copy of a recording without seconds at its ends, in a worker thread.
 *
 * @returns its bytes
 * @throws Problem `unsupported_audio`
 */
export async function trimAudio(job: TrimJob): Promise<number> {
  try {
    return (await read({ task: 'trim', ...job })) as number
  } catch (error) {
    throw isGreedy(error) ? audioRefusals.damaged() : error
  }
}

/** Recordings that wait to be read. */
export const recordingsWaiting = (): number => pool?.waiting() ?? 0

const isGreedy = (error: unknown) => error instanceof JobStopped && error.reason !== 'caller gone'

/** A recording of the largest size is read in less than a second; the rest is for slow disks. */
const limits = { size: 2, seconds: 30 }
const heapMegabytes = 192

let pool: WorkerPool | undefined

async function read(job: ReadingJob, gone?: AbortSignal): Promise<AudioFacts | Wholeness | number> {
  pool ??= workerPool(() => workerWithHeap(workerFile(), heapMegabytes), limits)
  const answer = (await pool.run(job, gone)) as ReadingAnswer
  if ('value' in answer) return answer.value
  if ('refusal' in answer) throw new Problem('unsupported_audio', answer.refusal)
  throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code })
}

/** The built worker beside the bundle; in a run from the sources the one that loads TypeScript. */
function workerFile(): URL {
  const built = path.join(import.meta.dirname, 'audio-worker.mjs')
  return pathToFileURL(existsSync(built) ? built : path.join(import.meta.dirname, 'audio-worker-source.mjs'))
}

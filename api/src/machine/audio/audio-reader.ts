import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Problem } from '@fellowship/schema/problem'
import type { AudioFacts, Wholeness } from '@fellowship/sound/read/probe'
import { audioRefusals } from '@fellowship/sound/read/refusals'
import type { IndexJob } from '@fellowship/sound/write/mp4-tags'
import { JobStopped, workerPool, workerWithHeap, type WorkerPool } from '../worker-pool.ts'
import type { RewrapJob, TrimJob } from './recording-files.ts'

export type ReadingJob =
  | { readonly task: 'probe' | 'silence' | 'wholeness'; readonly path: string }
  | ({ readonly task: 'trim' } & TrimJob)
  | ({ readonly task: 'rewrap' } & RewrapJob)
  | ({ readonly task: 'tag index' } & IndexJob)

type ReadingValue = AudioFacts | Wholeness | boolean | number | Uint8Array<ArrayBuffer> | undefined

/** Errors lose their class when they pass between threads, so each kind has a member of its own. */
export type ReadingAnswer =
  | { value: ReadingValue }
  /** The sentence of an `unsupported_audio`. */
  | { refusal: string }
  | { failure: { message: string; code: string | undefined } }

/**
 * Determines a recording's format and duration from its bytes, in a worker thread. Its name and the client's MIME type are
 * ignored.
 *
 * @param gone aborted when the caller is gone: ends the reading
 * @throws Problem `unsupported_audio` with the reason and how to fix it; JobStopped once `gone`
 */
export async function probeAudio(file: string, gone?: AbortSignal): Promise<AudioFacts> {
  try {
    return (await read({ task: 'probe', path: file }, gone)) as AudioFacts
  } catch (error) {
    // If the bytes take too long or too much memory, a player could not read them either.
    throw isGreedy(error) ? audioRefusals.damaged() : error
  }
}

/** Completeness of a recording by its own structure, read in a worker thread; whole if that takes too long. */
export async function wholenessOf(file: string): Promise<Wholeness> {
  try {
    return (await read({ task: 'wholeness', path: file })) as Wholeness
  } catch (error) {
    if (!isGreedy(error)) throw error
    return { state: 'whole' }
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

/**
 * Writes a recording into a container that browsers play, in a worker thread.
 *
 * @returns its bytes
 * @throws Problem `unsupported_audio`; JobStopped once `gone`
 */
export async function rewrapAudio(job: RewrapJob, gone?: AbortSignal): Promise<number> {
  // A hundred megabytes of small packets take half a minute, and more on a busy machine.
  rewraps ??= poolOf({ size: 1, seconds: 300 })
  try {
    return (await answered(rewraps.run({ task: 'rewrap', ...job }, gone))) as number
  } catch (error) {
    throw isGreedy(error) ? audioRefusals.damaged() : error
  }
}

/** Adds tags to the index of an MP4 in a worker thread; undefined if its structure is unexpected. */
export async function tagMp4Index(job: IndexJob): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Downloads have a thread of their own, so that uploads need not wait for them.
  downloads ??= poolOf({ size: 1, idleSeconds: 60 })
  try {
    return (await answered(downloads.run({ task: 'tag index', ...job }))) as
      | Uint8Array<ArrayBuffer>
      | undefined
  } catch (error) {
    if (error instanceof JobStopped) return undefined
    throw error
  }
}

/** Whether a recording holds nothing but silence; false if that is not known, as of an M4A. */
export async function isSilentAudio(file: string): Promise<boolean> {
  try {
    return (await read({ task: 'silence', path: file })) as boolean
  } catch (error) {
    if (!isGreedy(error)) throw error
    return false
  }
}

/** Number of recordings that wait to be read. */
export const recordingsWaiting = (): number => pool?.waiting() ?? 0

const isGreedy = (error: unknown) => error instanceof JobStopped && error.reason !== 'caller gone'

/** Time limit of a job. The largest recording is read in less than a second; the rest is for slow disks. */
const seconds = 30
const heapMegabytes = 192

let pool: WorkerPool | undefined
let downloads: WorkerPool | undefined
let rewraps: WorkerPool | undefined

const poolOf = (options: { size: number; idleSeconds?: number; seconds?: number }) =>
  workerPool(() => workerWithHeap(workerFile(), heapMegabytes), { seconds, ...options })

function read(job: ReadingJob, gone?: AbortSignal): Promise<ReadingValue> {
  pool ??= poolOf({ size: 2 })
  return answered(pool.run(job, gone))
}

async function answered(answering: Promise<unknown>): Promise<ReadingValue> {
  const answer = (await answering) as ReadingAnswer
  if ('value' in answer) return answer.value
  if ('refusal' in answer) throw new Problem('unsupported_audio', answer.refusal)
  throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code })
}

/** The built worker beside the bundle; in a run from the sources the one that loads TypeScript. */
function workerFile(): URL {
  const built = path.join(import.meta.dirname, 'audio-worker.mjs')
  return pathToFileURL(existsSync(built) ? built : path.join(import.meta.dirname, 'audio-worker-source.mjs'))
}

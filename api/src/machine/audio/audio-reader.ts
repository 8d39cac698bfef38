import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SoundDoubt } from '@fellowship/schema/copies/copies.contract'
import { Problem } from '@fellowship/schema/problem'
import type { AudioFacts, Wholeness } from '@fellowship/sound/read/probe'
import { audioRefusals } from '@fellowship/sound/read/refusals'
import type { IndexJob } from '@fellowship/sound/write/mp4-tags'
import { builtProgram } from '../process/helper-worker.ts'
import { JobStopped, workerPool, workerWithHeap, type WorkerPool } from '../worker-pool.ts'
import { installedFfmpeg } from './copy/copy-process.ts'
import type { HearingJob, RewrapJob, TrimJob } from './recording-files.ts'

export type ReadingJob =
  | { readonly task: 'probe' | 'wholeness'; readonly path: string }
  | ({ readonly task: 'hear' } & HearingJob)
  | ({ readonly task: 'trim' } & TrimJob)
  | ({ readonly task: 'rewrap' } & RewrapJob)
  | ({ readonly task: 'tag index' } & IndexJob)

type ReadingValue =
  | AudioFacts
  | Wholeness
  | readonly SoundDoubt[]
  | number
  | Uint8Array<ArrayBuffer>
  | undefined

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

/**
 * Adds tags to the index of an MP4 in a worker thread; undefined if its structure is unexpected.
 *
 * @throws JobStopped once `gone`
 */
export async function tagMp4Index(
  job: IndexJob,
  gone: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Downloads have a thread of their own, so that uploads need not wait for them.
  downloads ??= poolOf({ size: 1, idleSeconds: 60 })
  try {
    return (await answered(downloads.run({ task: 'tag index', ...job }, gone))) as
      | Uint8Array<ArrayBuffer>
      | undefined
  } catch (error) {
    if (isGreedy(error)) return undefined
    throw error
  }
}

/**
 * Decodes a recording in a worker thread, an hour in some ten seconds, to find faults that a person should know of before it
 * is published.
 *
 * @returns undefined if that is not known: M4A without ffmpeg, damaged or endless sound
 * @throws JobStopped once `gone`
 */
export async function hearAudio(
  job: Omit<HearingJob, 'ffmpeg'>,
  gone?: AbortSignal,
): Promise<readonly SoundDoubt[] | undefined> {
  try {
    const ffmpeg = job.extension === 'm4a' ? installedFfmpeg() : undefined
    return (await read({ task: 'hear', ...job, ffmpeg }, gone, hearingSeconds)) as
      | readonly SoundDoubt[]
      | undefined
  } catch (error) {
    if (isGreedy(error)) return undefined
    throw error
  }
}

/** Number of recordings that wait to be read. */
export const recordingsWaiting = (): number => pool?.waiting() ?? 0

const isGreedy = (error: unknown) => error instanceof JobStopped && error.reason !== 'caller gone'

/** Time limit of a job. The largest recording is read in less than a second; the rest is for slow disks. */
const seconds = 30
/** Time limit for decoding a recording: ten hours on a fast machine, three on a slow one. */
const hearingSeconds = 120
const heapMegabytes = 192

let pool: WorkerPool | undefined
let downloads: WorkerPool | undefined
let rewraps: WorkerPool | undefined

const poolOf = (options: { size: number; idleSeconds?: number; seconds?: number }) =>
  workerPool(() => workerWithHeap(workerFile(), heapMegabytes), { seconds, ...options })

function read(job: ReadingJob, gone?: AbortSignal, limit?: number): Promise<ReadingValue> {
  pool ??= poolOf({ size: 3 })
  return answered(pool.run(job, gone, limit))
}

async function answered(answering: Promise<unknown>): Promise<ReadingValue> {
  const answer = (await answering) as ReadingAnswer
  if ('value' in answer) return answer.value
  if ('refusal' in answer) throw new Problem('unsupported_audio', answer.refusal)
  throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code })
}

/** The built worker; in a run from the sources the one that loads TypeScript. */
const workerFile = (): URL =>
  pathToFileURL(
    builtProgram(import.meta.dirname, 'audio-worker') ??
      path.join(import.meta.dirname, 'audio-worker-source.mjs'),
  )

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { MeasuredSound } from '@fellowship/sound/measure/measure-sound'
import { helperProgram, helperWorker, type HelperProgram } from '../../process/helper-worker.ts'
import { environmentOfHelpers } from '../../process/processes.ts'
import { JobStopped, workerPool, type JobWorker } from '../../worker-pool.ts'
import type { SmallCopy } from './small-copy.ts'

/** A job of the process that makes copies. */
export interface CopyJob {
  readonly path: string
  readonly extension: AudioExtension
  /** Bytes of the recording. */
  readonly bytes: number
  /** An empty file for the copy. */
  readonly target: string
  readonly ffmpeg?: string | undefined
}

/** A measured recording and its small copy; null if a copy would save too little. */
export interface CopyResult {
  readonly sound: Omit<MeasuredSound, 'mono'>
  readonly copy: SmallCopy | null
}

/** A sign of life, or the result of a job. `unreadable` if the recording cannot be decoded. */
export type CopyMessage =
  | { readonly kind: 'progress' }
  | { readonly kind: 'done'; readonly result: CopyResult }
  | { readonly kind: 'failed'; readonly unreadable: boolean; readonly why: string }

/** Thrown if no try can make a copy of the recording. */
export class UncopyableRecording extends Error {}

/** Measures recordings and makes small copies in processes of their own, two at a time. */
export interface CopyProcess {
  /**
   * @param gone ends the job
   * @throws UncopyableRecording, or Error if another try may succeed
   */
  run(job: CopyJob, gone?: AbortSignal): Promise<CopyResult>
  /** Ends the processes, and with them running jobs. */
  close(): void
}

/** A process that sends no message for so many seconds is stuck; one without a job for `idleSeconds` frees its memory. */
const limits = { size: 2, seconds: 180, idleSeconds: 10 }

/** Copying an hour takes 130 MB. */
const megabytes = 512

/**
 * A process starts with the first job.
 *
 * @param niceness 0 to 19; 19 is the lowest priority
 */
export function copyProcess({
  program = helperProgram(import.meta.dirname, 'copy-child'),
  niceness = 19,
} = {}): CopyProcess {
  const pool = workerPool(() => start(program, niceness), limits)
  return {
    async run(job, gone) {
      try {
        return (await pool.run(job, gone)) as CopyResult
      } catch (error) {
        throw error instanceof JobStopped ? new Error(whyStopped[error.reason]) : error
      }
    },
    close: () => pool.close(),
  }
}

const whyStopped = {
  time: 'It took too long without getting on.',
  memory: 'It took too much memory.',
  'caller gone': 'It is not needed any more.',
}

/** A failed job ends its process: if the recording corrupted the decoder, the next one needs a new process. */
function start({ file, execArgv }: HelperProgram, niceness: number): JobWorker {
  // Small heaps, so that the garbage of a second of sound is collected before the next.
  const options = [...execArgv, '--max-semi-space-size=2', '--max-old-space-size=128']
  const worker = helperWorker({ file, execArgv: options }, { args: [String(niceness)], megabytes })
  return {
    ...worker,
    listen: ({ answered, progressed, failed, ended }) =>
      worker.listen({
        answered(answer) {
          const message = answer as CopyMessage
          if (message.kind === 'done') answered(message.result)
          else if (message.kind === 'progress') progressed()
          else failed(message.unreadable ? new UncopyableRecording(message.why) : new Error(message.why))
        },
        progressed,
        failed,
        ended(signal) {
          failed(new Error(`The process that makes copies ended (${signal ?? 'by itself'}).`))
          ended(signal)
        },
      }),
  }
}

/** Path of ffmpeg; undefined if it is not installed. */
export function installedFfmpeg(): string | undefined {
  const names = process.platform === 'win32' ? ['ffmpeg.exe'] : ['ffmpeg']
  return (environmentOfHelpers()['PATH'] ?? '')
    .split(path.delimiter)
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find((file) => path.isAbsolute(file) && existsSync(file))
}

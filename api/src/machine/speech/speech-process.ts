import type { SpeechPart } from '@fellowship/schema/speech/heard-text'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { helperProgram, helperWorker } from '../process/helper-worker.ts'
import { JobStopped, workerPool } from '../worker-pool.ts'

/** A recording whose speech is written into one WAV per part. */
export interface SpeechJob {
  readonly path: string
  readonly extension: AudioExtension
  readonly parts: readonly SpeechPart[]
  /** Files to write, one per part. */
  readonly targets: readonly string[]
  readonly ffmpeg?: string | undefined
}

export type SpeechMessage =
  | { readonly kind: 'progress' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

export interface SpeechProcess {
  /** @throws Error if the recording cannot be decoded, or the job was ended */
  run(job: SpeechJob, gone: AbortSignal): Promise<void>
  close(): void
}

/** A process that sends no message for so many seconds is stuck; one without a job for `idleSeconds` frees its memory. */
const limits = { size: 1, seconds: 180, idleSeconds: 10 }
const megabytes = 512

/** Decodes recordings in a process of its own, one at a time, at the lowest priority. */
export function speechProcess(): SpeechProcess {
  const pool = workerPool(() => {
    const { file, execArgv } = helperProgram(import.meta.dirname, 'speech-child')
    const worker = helperWorker({ file, execArgv: [...execArgv, '--max-old-space-size=128'] }, { megabytes })
    return {
      ...worker,
      listen: ({ answered, progressed, failed, ended }) =>
        worker.listen({
          answered(answer) {
            const message = answer as SpeechMessage
            if (message.kind === 'done') answered(undefined)
            else if (message.kind === 'progress') progressed()
            else failed(new Error(message.why))
          },
          progressed,
          failed,
          ended(signal) {
            failed(
              new Error(`The process that decodes for speech recognition ended (${signal ?? 'by itself'}).`),
            )
            ended(signal)
          },
        }),
    }
  }, limits)
  return {
    async run(job, gone) {
      await pool.run(job, gone).catch((error: unknown) => {
        throw error instanceof JobStopped ? new Error(`Decoding was stopped: ${error.reason}.`) : error
      })
    },
    close: () => pool.close(),
  }
}

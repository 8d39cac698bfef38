import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { CallError, TooManyRequests } from '../../call/call-error.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { afterFailure } from '../engine/backoff.ts'
import { described, verdictOf } from '../engine/request.ts'
import { MissingBytes } from './upload-requests.ts'
import { change, isUnderWay, type RunOptions } from './upload-jobs.ts'

/** After this many failed attempts a file needs a person, as retries may use up a mobile plan. */
export const maxSends = 3

/** The server gave an impossible answer: less than it had, as much as before, or more than there is. */
export class WrongOffset extends Error {
  override readonly name = 'WrongOffset'
  constructor() {
    super('The server does not keep what it took.')
  }
}

/** The part of a run that a failure needs. */
interface FailedRun extends RunOptions {
  db: UploadDatabase
}

/** Whether the queue of this user goes on with it. */
export const isMine = (job: UploadJob, userId: number | undefined): boolean =>
  isUnderWay(job) && job.ownerUserId === userId

/** The job waits for a person, unless it was cancelled while the request was under way. The bytes stay. */
export async function stopFor(
  { db, onEvent }: FailedRun,
  { id }: UploadJob,
  state: 'blocked_auth' | 'duplicate' | 'rejected',
  error: unknown,
): Promise<undefined> {
  const stopped = await change(db, id, (job) =>
    ['done', 'cancelled'].includes(job.state)
      ? undefined
      : { state, lastError: lastErrorOf(error, job.sends) },
  )
  if (stopped) onEvent({ kind: state, job: stopped })
}

/** After a failure: a refusal needs a person, anything else backs off. The bytes stay in either case. */
export async function handleFailure(run: FailedRun, job: UploadJob, error: unknown): Promise<void> {
  const { db, now, random, onEvent } = run
  const stop = stateAfter(error)
  if (stop && job.state !== 'cancelled') return stopFor(run, job, stop, error)
  let isStalled = false
  const late = await change(db, job.id, (current) => {
    if (current.state === 'done') return undefined
    const isCancelled = current.state === 'cancelled'
    // Cancelled meanwhile, which deletes its bytes: its deletion on the server does not wait for that.
    if (isCancelled && job.state !== 'cancelled') return undefined
    if (error instanceof MissingBytes && !isCancelled) return { state: 'lost', lastError: lastErrorOf(error) }
    isStalled = now() - current.movedAt >= uploadTimeoutMs && !current.timeoutTold && !isCancelled
    return {
      ...(!isCancelled && { state: 'queued' as const }),
      ...afterFailure(current, error, now(), random()),
      ...(!(error instanceof TooManyRequests) && { lastError: lastErrorOf(error) }),
      ...(isStalled && { timeoutTold: true }),
    }
  })
  if (late && isStalled) onEvent({ kind: 'timeout', job: late })
}

/** Reports each job once that had no acknowledged byte for five minutes; its state does not change. */
export async function reportStalledUploads(db: UploadDatabase, options: RunOptions): Promise<void> {
  for (const { id } of await db.jobs.filter((job) => stalledAt(job) <= options.now()).toArray()) {
    const late = await change(db, id, (job) =>
      stalledAt(job) <= options.now() ? { timeoutTold: true } : undefined,
    )
    if (late && isMine(late, options.userId())) options.onEvent({ kind: 'timeout', job: late })
  }
}

/** When a job without progress is reported, epoch milliseconds. */
export const stalledAt = (job: UploadJob): number =>
  isUnderWay(job) && job.state !== 'cancelled' && job.attempts > 0 && !job.timeoutTold
    ? job.movedAt + uploadTimeoutMs
    : Infinity

/** The state of a job that needs a person after this error; undefined if it is retried. */
function stateAfter(error: unknown): 'blocked_auth' | 'duplicate' | 'rejected' | undefined {
  const verdict = verdictOf(error)
  if (verdict === 'again' || verdict === 'begin anew') return undefined
  if (verdict === 'sign in') return 'blocked_auth'
  return codeOf(error) === 'duplicate' ? 'duplicate' : 'rejected'
}

export const codeOf = (error: unknown) => (error instanceof CallError ? error.code : undefined)

export const isGone = (error: unknown) =>
  error instanceof CallError && [404, 410].includes(error.status) && verdictOf(error) === 'begin anew'

/** Too large for a proxy between: the server's own 413 has a code. */
export const isProxyLimit = (error: unknown) =>
  error instanceof CallError && error.status === 413 && error.code === undefined

export const progressAt = (now: number) => ({ movedAt: now, timeoutTold: false })

function lastErrorOf(error: unknown, sends = 0): NonNullable<UploadJob['lastError']> {
  const { code, sentence } = described(error)
  if (error instanceof MissingBytes) return { code: 'evicted', sentence }
  if (sends >= maxSends)
    return { code, sentence: code === 'upload_damaged' ? texts.damagedEachTime : texts.goneEachTime }
  if (!(error instanceof CallError)) return { code, sentence }
  const current = error.body['current'] as NonNullable<UploadJob['lastError']>['current']
  const { present, duplicateOf, sameRecording } = error.body
  const existing = code === 'duplicate' ? named.safeParse(duplicateOf).data : undefined
  return {
    code,
    sentence,
    ...(current && { current }),
    ...(existing && {
      existing: { path: teachingPath(existing), sameRecording: sameRecording === true },
    }),
    ...(code === 'cut_off' && typeof present === 'string' && { present }),
  }
}

const named = teaching.pick({ uid: true, date: true, title: true, scriptureReference: true })

import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { CallError, sentenceOfError } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import { nextRequestBytes, rateAfter, retryWaitMs } from '../../protocol/upload-pace.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { checkBytes, MissingBytes, readBytes } from './upload-bytes.ts'
import { change, dropUpload, finishUpload, isUnderWay } from './upload-jobs.ts'
import { askOffset, beginUpload, finalizeUpload, removeUpload, sendBytes } from './upload-requests.ts'

/** For toasts. timeout: five minutes without one acknowledged byte. */
export type UploadJobEvent = {
  kind: 'done' | 'duplicate' | 'rejected' | 'blocked_auth' | 'timeout'
  job: UploadJob
}

export interface RunOptions {
  now: () => number
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  onEvent: (event: UploadJobEvent) => void
  /** The signed-in user. */
  userId: () => number | undefined
}

/**
 * Runs one job until it is done, needs a person, or fails and backs off. Each step is stored before the next begins, so
 * that another tab can continue from any of them, and each checks whether the job was paused or cancelled.
 */
export async function runUpload(
  db: UploadDatabase,
  id: string,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  // After an interrupted run the server is asked for the offset again.
  let job = await change(db, id, (left) => {
    if (!isMine(left, options)) return undefined
    return {
      ...(left.state !== 'cancelled' && { state: 'queued' as const }),
      // The five minutes begin now, not when the job was queued behind others.
      ...(left.attempts === 0 && progressAt(options.now())),
    }
  })
  try {
    while (job && isMine(job, options) && !signal.aborted)
      job = await step(db, job, transport, options, signal)
  } catch (error) {
    // Aborted by a person or by the end of this page: not a failed attempt.
    if (job && !signal.aborted) await handleFailure(db, job, error, options)
  }
}

const isMine = (job: UploadJob, { userId }: RunOptions) => isUnderWay(job) && job.ownerUserId === userId()

/** Runs one step; returns the job as it is then, undefined when there is nothing more to do. */
async function step(
  db: UploadDatabase,
  job: UploadJob,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<UploadJob | undefined> {
  const { now } = options
  if (job.state === 'cancelled') return removeFromServer(db, job, transport, options, signal)
  if (job.phase === 'new') {
    // From here on the server may have the upload, whether it answers or not.
    if (!(await proceed(db, job, { state: 'creating', asked: true }, options))) return undefined
    try {
      await beginUpload(job, transport, signal)
    } catch (error) {
      // The answer of an earlier attempt was lost: ask for the offset next.
      if (!(error instanceof CallError && error.code === 'upload_exists')) throw error
      return proceed(db, job, { state: 'creating', phase: 'begun' }, options)
    }
    return proceed(
      db,
      job,
      { state: 'uploading', phase: 'begun', acknowledged: 0, ...progressAt(now()) },
      options,
    )
  }
  if (job.phase === 'arrived') return finalize(db, job, transport, options, signal)
  // After a restart: ask the server for the offset.
  if (job.state !== 'uploading') return resume(db, job, transport, options, signal)
  return send(db, job, transport, options, signal)
}

/** 200: continue at the offset · 404 and 410: begin again; other answers say nothing about the bytes. */
async function resume(
  db: UploadDatabase,
  job: UploadJob,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<UploadJob | undefined> {
  try {
    const offset = await askOffset(job, transport, signal)
    if (offset > job.size) throw new Error('The server has more bytes than there are.')
    return await acknowledge(db, job, offset, options)
  } catch (error) {
    if (!isGone(error)) throw error
    return proceed(db, job, { state: 'queued', phase: 'new', acknowledged: 0 }, options)
  }
}

async function send(
  db: UploadDatabase,
  job: UploadJob,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<UploadJob | undefined> {
  const { acknowledged, rate } = job
  if (acknowledged === job.size) return acknowledge(db, job, acknowledged, options)
  const bytes = await readBytes(db, job, acknowledged, nextRequestBytes(rate))
  const began = options.now()
  let offset: number
  try {
    offset = await sendBytes(job, acknowledged, bytes, transport, signal)
  } catch (error) {
    if (isGone(error)) return proceed(db, job, { state: 'queued', phase: 'new', acknowledged: 0 }, options)
    if (!(error instanceof CallError && error.code === 'upload_offset')) throw error
    return proceed(db, job, { state: 'queued' }, options)
  }
  if (offset <= acknowledged) throw new Error('The server took no byte.')
  const measured = rateAfter(rate, offset - acknowledged, options.now() - began)
  return acknowledge(db, { ...job, rate: measured }, offset, options)
}

async function acknowledge(
  db: UploadDatabase,
  { id, size, rate, acknowledged: before }: UploadJob,
  offset: number,
  options: RunOptions,
): Promise<UploadJob | undefined> {
  const next =
    offset === size
      ? { state: 'finalizing' as const, phase: 'arrived' as const }
      : { state: 'uploading' as const }
  const news = offset > before ? { ...progressAt(options.now()), attempts: 0 } : {}
  return change(db, id, (job) =>
    isMine(job, options) && job.state !== 'cancelled'
      ? { ...next, ...news, acknowledged: offset, rate }
      : undefined,
  )
}

async function finalize(
  db: UploadDatabase,
  job: UploadJob,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<UploadJob | undefined> {
  // Later corrections come too late; the fields of now are sent.
  const current = await proceed(db, job, { state: 'finalizing' }, options)
  if (!current) return undefined
  try {
    const teaching = await finalizeUpload(current, transport, signal)
    await finishUpload(db, job.id, teaching, options.now())
  } catch (error) {
    if (error instanceof CallError && error.code === 'upload_damaged') await checkBytes(db, job)
    if (isGone(error) && !(await isTeachingGone(current, transport, signal)))
      return proceed(db, job, { state: 'queued', phase: 'new', acknowledged: 0 }, options)
    if (!(error instanceof CallError && error.code === 'upload_incomplete')) throw error
    return proceed(db, job, { state: 'queued', phase: 'begun' }, options)
  }
  const done = await db.jobs.get(job.id)
  if (done) options.onEvent({ kind: 'done', job: done })
  return undefined
}

/** A 404 while the server still has the bytes means that the teaching to be replaced is gone. */
async function isTeachingGone(job: UploadJob, transport: Transport, signal: AbortSignal): Promise<boolean> {
  if (!job.replace) return false
  try {
    return (await askOffset(job, transport, signal)) === job.size
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

/** Deletes a cancelled upload; gone already succeeds too. One that has become a teaching is reported as done. */
async function removeFromServer(
  db: UploadDatabase,
  job: UploadJob,
  transport: Transport,
  options: RunOptions,
  signal: AbortSignal,
): Promise<undefined> {
  try {
    await removeUpload(job, transport, signal)
  } catch (error) {
    if (error instanceof CallError && error.code === 'upload_finished') {
      await finishUpload(db, job.id, await finalizeUpload(job, transport, signal), options.now())
      const done = await db.jobs.get(job.id)
      if (done) options.onEvent({ kind: 'done', job: done })
      return undefined
    }
    if (!isGone(error)) throw error
  }
  await dropUpload(db, job.id)
  return undefined
}

/** Stores a step, unless the job was paused or cancelled meanwhile. */
function proceed(
  db: UploadDatabase,
  { id }: UploadJob,
  changes: Partial<UploadJob>,
  options: RunOptions,
): Promise<UploadJob | undefined> {
  return change(db, id, (job) => (isMine(job, options) && job.state !== 'cancelled' ? changes : undefined))
}

/** Sets the state after a failure: a refusal needs a person, anything else backs off. The bytes stay in either case. */
async function handleFailure(
  db: UploadDatabase,
  { id }: UploadJob,
  error: unknown,
  options: RunOptions,
): Promise<void> {
  const { now, random, onEvent } = options
  const lastError = described(error)
  const verdict = verdictOf(error)
  let eventKind: UploadJobEvent['kind'] | undefined
  const job = await change(db, id, (current) => {
    if (current.state === 'done') return undefined
    if (error instanceof MissingBytes) return { state: 'lost', lastError }
    if (verdict && current.state !== 'cancelled') {
      eventKind = verdict
      return { state: verdict, lastError }
    }
    const isStalled =
      now() - current.movedAt >= uploadTimeoutMs && !current.timeoutTold && current.state !== 'cancelled'
    if (isStalled) eventKind = 'timeout'
    const retryAfterMs = error instanceof CallError ? Number(error.body['retryAfter'] ?? 0) * 1000 : 0
    return {
      ...(current.state !== 'cancelled' && { state: 'queued' as const }),
      attempts: current.attempts + 1,
      nextAttemptAt: now() + Math.max(retryAfterMs, retryWaitMs(current.attempts, random())),
      lastError,
      ...(isStalled && { timeoutTold: true }),
    }
  })
  if (job && eventKind) onEvent({ kind: eventKind, job })
}

/** Reports each job once that had no acknowledged byte for five minutes; its state does not change. */
export async function reportStalledUploads(db: UploadDatabase, options: RunOptions): Promise<void> {
  for (const { id } of await db.jobs.filter((job) => stalledAt(job) <= options.now()).toArray()) {
    const late = await change(db, id, (job) =>
      stalledAt(job) <= options.now() ? { timeoutTold: true } : undefined,
    )
    if (late && isMine(late, options)) options.onEvent({ kind: 'timeout', job: late })
  }
}

/** When a job without progress is reported, epoch milliseconds. */
export const stalledAt = (job: UploadJob): number =>
  isUnderWay(job) && job.state !== 'cancelled' && job.attempts > 0 && !job.timeoutTold
    ? job.movedAt + uploadTimeoutMs
    : Infinity

/** The state after a refusal of our server; errors of proxies and captive portals have no code and are retried. */
function verdictOf(error: unknown): 'blocked_auth' | 'duplicate' | 'rejected' | undefined {
  if (!(error instanceof CallError)) return undefined
  if (error.status === 401) return 'blocked_auth'
  if (error.code === 'duplicate') return 'duplicate'
  const passes = error.status >= 500 || [403, 408, 409, 412, 423, 425, 429].includes(error.status)
  const isVerdict = error.code === 'revision_conflict' || error.code === 'account_inactive'
  return error.code !== undefined && (isVerdict || !passes) ? 'rejected' : undefined
}

const isGone = (error: unknown) =>
  error instanceof CallError && (error.status === 404 || error.status === 410)

const progressAt = (now: number) => ({ movedAt: now, timeoutTold: false })

function described(error: unknown): NonNullable<UploadJob['lastError']> {
  const sentence = sentenceOfError(error)
  if (error instanceof MissingBytes) return { code: 'evicted', sentence }
  if (!(error instanceof CallError)) return { code: 'network', sentence }
  const current = error.body['current'] as NonNullable<UploadJob['lastError']>['current']
  return { code: error.code ?? String(error.status), sentence, ...(current && { current }) }
}

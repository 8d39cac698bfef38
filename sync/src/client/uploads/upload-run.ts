import { problems } from '@fellowship/schema/problem'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { CallError, sentenceOfError } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import { rateAfter, requestSize, type RequestSize } from '../../protocol/upload-pace.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { afterFailure } from '../engine/backoff.ts'
import { TooManyRequests, type RequestRate } from '../engine/rate.ts'
import { verdictOf } from '../engine/verdict.ts'
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
  rate: RequestRate
}

/** One run of a job. */
interface Run extends RunOptions {
  size: RequestSize
  db: UploadDatabase
  transport: Transport
  signal: AbortSignal
  /** The upload was begun anew in this run: the next time waits for the backoff. */
  hasBegunAnew: boolean
  /** The server refused what goes on from this offset: where it says that it stands there, it contradicts itself. */
  refusedAt?: number
}

/** A file that was sent in vain so often needs a person: it may use up a mobile plan. */
const maxSends = 3

/** The server answered what cannot be: less than it had, as much as before, or more than there is. */
class WrongOffset extends Error {
  override readonly name = 'WrongOffset'
  constructor() {
    super('The server does not keep what it took.')
  }
}

/**
 * Runs one job until it is done, needs a person, or fails and backs off. Each step is stored before the next begins, so
 * that another tab can continue from any of them, and each checks whether the job was paused or cancelled.
 */
export async function runUpload(
  db: UploadDatabase,
  id: string,
  transport: Transport,
  { size = requestSize(), ...options }: RunOptions & { size?: RequestSize },
  signal: AbortSignal,
): Promise<void> {
  const limited = options.rate.transportOf(id, transport)
  const run: Run = { ...options, size, db, transport: limited, signal, hasBegunAnew: false }
  // After an interrupted run the server is asked for the offset again.
  let job = await change(db, id, (left) => {
    if (!isMine(left, run)) return undefined
    return {
      ...(left.state !== 'cancelled' && { state: 'queued' as const }),
      // The five minutes begin now, not when the job was queued behind others.
      ...(left.attempts === 0 && progressAt(run.now())),
    }
  })
  try {
    while (job && isMine(job, run) && !signal.aborted) job = await step(run, job)
  } catch (error) {
    // Aborted by a person or by the end of this page: not a failed attempt.
    if (job && !signal.aborted) await handleFailure(run, job, error)
  }
}

const isMine = (job: UploadJob, { userId }: RunOptions) => isUnderWay(job) && job.ownerUserId === userId()

/** Runs one step; returns the job as it is then, undefined when there is nothing more to do. */
function step(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  if (job.state === 'cancelled') return removeFromServer(run, job)
  if (job.phase === 'new') return begin(run, job)
  if (job.phase === 'arrived') return finalize(run, job)
  // After a restart: ask the server for the offset.
  return job.state === 'uploading' ? send(run, job) : resume(run, job)
}

async function begin(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  // From here on the server may have the upload, whether it answers or not.
  if (!(await proceed(run, job, { state: 'creating', asked: true }))) return undefined
  try {
    await beginUpload(job, run.transport, run.signal)
  } catch (error) {
    // It was cancelled elsewhere: asked again under its id, the server would say so for ever.
    if (codeOf(error) === 'upload_gone') return stopFor(run, job, 'rejected', error)
    // The answer of an earlier attempt was lost: ask for the offset next.
    if (codeOf(error) !== 'upload_exists') throw error
    return proceed(run, job, { state: 'creating', phase: 'begun', wasBegun: true })
  }
  const sends = (job.sends ?? 0) + (job.wasBegun ? 1 : 0)
  const begun = await proceed(run, job, {
    state: 'uploading',
    phase: 'begun',
    acknowledged: 0,
    sends,
    wasBegun: true,
    ...progressAt(run.now()),
  })
  return begun && sends >= maxSends ? stopFor(run, begun, 'rejected', goneError()) : begun
}

async function resume(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  try {
    const offset = await askOffset(job, run.transport, run.signal)
    if (offset > job.size || offset === run.refusedAt) return await sendAgain(run, job)
    if (offset >= job.acknowledged) return await acknowledge(run, job, offset)
    return await sendAgain(run, { ...job, acknowledged: offset })
  } catch (error) {
    if (!isGone(error)) throw error
    return beginAnew(run, job, error)
  }
}

/** Bytes were sent in vain although the server still has the upload: it is asked for the offset. Bounded as `beginAnew`. */
async function sendAgain(
  run: Run,
  { id, sends = 0, acknowledged }: UploadJob,
): Promise<UploadJob | undefined> {
  const again = await proceed(run, { id }, { state: 'queued', sends: sends + 1, acknowledged })
  if (again && sends + 1 >= maxSends) return stopFor(run, again, 'rejected', goneError())
  if (run.hasBegunAnew) throw new WrongOffset()
  run.hasBegunAnew = true
  delete run.refusedAt
  return again
}

async function send(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  const { id, acknowledged, rate } = job
  if (acknowledged === job.size) return acknowledge(run, job, acknowledged)
  const bytes = await readBytes(run.db, job, acknowledged, run.size.next(rate))
  const began = run.now()
  let offset: number
  try {
    offset = await sendBytes(job, acknowledged, bytes, run.transport, run.signal)
  } catch (error) {
    if (isGone(error)) return beginAnew(run, job, error)
    if (codeOf(error) === 'upload_offset') {
      run.refusedAt = acknowledged
      return proceed(run, job, { state: 'queued' })
    }
    if (isProxyLimit(error) && run.size.refused(bytes.length)) return proceed(run, job, {})
    throw error
  }
  if (offset <= acknowledged || offset > job.size) return sendAgain(run, job)
  if (offset === acknowledged + bytes.length && offset > (job.furthest ?? 0)) run.rate.forget(id)
  const measured = rateAfter(rate, offset - acknowledged, run.now() - began)
  return acknowledge(run, { ...job, rate: measured }, offset)
}

async function acknowledge(
  run: Run,
  { id, size, rate, acknowledged: before, furthest = 0 }: UploadJob,
  offset: number,
): Promise<UploadJob | undefined> {
  const next =
    offset === size
      ? { state: 'finalizing' as const, phase: 'arrived' as const }
      : { state: 'uploading' as const }
  // What is sent for the second time is no progress that would end a backoff.
  const news = {
    ...(offset > before && progressAt(run.now())),
    ...(offset > furthest && { furthest: offset, attempts: 0 }),
  }
  return proceed(run, { id }, { ...next, ...news, acknowledged: offset, rate })
}

async function finalize(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  // Later corrections come too late; the fields of now are sent.
  const current = await proceed(run, job, { state: 'finalizing' })
  if (!current) return undefined
  try {
    await finish(run, job.id, await finalizeUpload(current, run.transport, run.signal))
    return undefined
  } catch (error) {
    const code = codeOf(error)
    if (code === 'upload_damaged') await checkBytes(run.db, job)
    if (code === 'upload_incomplete') {
      run.refusedAt = job.size
      return proceed(run, job, { state: 'queued', phase: 'begun' })
    }
    if (!isGone(error)) throw error
    if (await isTeachingGone(run, current)) return stopFor(run, job, 'rejected', error)
    return beginAnew(run, job, error)
  }
}

/**
 * The server does not have the upload any more, or its bytes were damaged: all are sent again. Once in a run, then after
 * the backoff; a file that was sent three times needs a person. One that had not arrived whole counts when the server
 * has begun it anew: until then the answer may be that of a foreign network, and nothing is lost.
 */
async function beginAnew(run: Run, job: UploadJob, error: unknown): Promise<UploadJob | undefined> {
  const hasArrived = job.phase === 'arrived'
  const sends = (job.sends ?? 0) + (hasArrived ? 1 : 0)
  const anew = await proceed(run, job, {
    state: 'queued',
    phase: 'new',
    acknowledged: 0,
    sends,
    ...(hasArrived && { wasBegun: false }),
  })
  if (anew && sends >= maxSends) return stopFor(run, job, 'rejected', error)
  if (run.hasBegunAnew) throw error
  run.hasBegunAnew = true
  return anew
}

/** A 404 while the server still has the bytes means that the teaching to be replaced is gone. */
async function isTeachingGone({ transport, signal }: Run, job: UploadJob): Promise<boolean> {
  if (!job.replace) return false
  try {
    return (await askOffset(job, transport, signal)) === job.size
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

/** Deletes a cancelled upload; gone already succeeds too. One that has become a teaching is reported as done. */
async function removeFromServer(run: Run, job: UploadJob): Promise<undefined> {
  const { db, transport, signal } = run
  try {
    await removeUpload(job, transport, signal)
  } catch (error) {
    if (codeOf(error) === 'upload_finished')
      return finish(run, job.id, await finalizeUpload(job, transport, signal))
    if (!isGone(error)) throw error
  }
  await dropUpload(db, job.id)
}

async function finish(
  { db, rate, now, onEvent }: Run,
  id: string,
  teaching: NonNullable<UploadJob['teaching']>,
): Promise<undefined> {
  await finishUpload(db, id, teaching, now())
  rate.forget(id)
  const job = await db.jobs.get(id)
  if (job) onEvent({ kind: 'done', job })
}

/** Stores a step, unless the job was paused or cancelled meanwhile. */
function proceed(
  run: Run,
  { id }: Pick<UploadJob, 'id'>,
  changes: Partial<UploadJob>,
): Promise<UploadJob | undefined> {
  return change(run.db, id, (job) => (isMine(job, run) && job.state !== 'cancelled' ? changes : undefined))
}

/** The job waits for a person. The bytes stay. */
async function stopFor(
  { db, onEvent }: Run,
  { id }: UploadJob,
  state: 'blocked_auth' | 'duplicate' | 'rejected',
  error: unknown,
): Promise<undefined> {
  const stopped = await change(db, id, (job) =>
    job.state === 'done' ? undefined : { state, lastError: described(error, job.sends) },
  )
  if (stopped) onEvent({ kind: state, job: stopped })
}

/** After a failure: a refusal needs a person, anything else backs off. The bytes stay in either case. */
async function handleFailure(run: Run, job: UploadJob, error: unknown): Promise<void> {
  const { db, now, random, onEvent } = run
  const stop = stateAfter(error)
  if (stop && job.state !== 'cancelled') return stopFor(run, job, stop, error)
  let isStalled = false
  const late = await change(db, job.id, (current) => {
    if (current.state === 'done') return undefined
    if (error instanceof MissingBytes) return { state: 'lost', lastError: described(error) }
    isStalled =
      now() - current.movedAt >= uploadTimeoutMs && !current.timeoutTold && current.state !== 'cancelled'
    return {
      ...(current.state !== 'cancelled' && { state: 'queued' as const }),
      ...afterFailure(current, error, now(), random()),
      ...(!(error instanceof TooManyRequests) && { lastError: described(error) }),
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
    if (late && isMine(late, options)) options.onEvent({ kind: 'timeout', job: late })
  }
}

/** When a job without progress is reported, epoch milliseconds. */
export const stalledAt = (job: UploadJob): number =>
  isUnderWay(job) && job.state !== 'cancelled' && job.attempts > 0 && !job.timeoutTold
    ? job.movedAt + uploadTimeoutMs
    : Infinity

/** The state of a job that needs a person after this error; undefined where it is retried. */
function stateAfter(error: unknown): 'blocked_auth' | 'duplicate' | 'rejected' | undefined {
  const verdict = verdictOf(error)
  if (verdict === 'again' || verdict === 'begin anew') return undefined
  if (verdict === 'sign in') return 'blocked_auth'
  return codeOf(error) === 'duplicate' ? 'duplicate' : 'rejected'
}

const goneError = () =>
  new CallError(
    404,
    JSON.stringify({ success: false, code: 'not_found', error: problems.not_found.sentence }),
  )

const codeOf = (error: unknown) => (error instanceof CallError ? error.code : undefined)

const isGone = (error: unknown) =>
  error instanceof CallError && [404, 410].includes(error.status) && verdictOf(error) === 'begin anew'

/** Too large for a proxy between: the server's own 413 has a code. */
const isProxyLimit = (error: unknown) =>
  error instanceof CallError && error.status === 413 && error.code === undefined

const progressAt = (now: number) => ({ movedAt: now, timeoutTold: false })

function described(error: unknown, sends = 0): NonNullable<UploadJob['lastError']> {
  const sentence = sentenceOfError(error)
  if (error instanceof MissingBytes) return { code: 'evicted', sentence }
  if (!(error instanceof CallError)) return { code: 'network', sentence }
  const code = error.code ?? String(error.status)
  if (sends >= maxSends)
    return { code, sentence: code === 'upload_damaged' ? texts.damagedEachTime : texts.goneEachTime }
  const current = error.body['current'] as NonNullable<UploadJob['lastError']>['current']
  return { code, sentence, ...(current && { current }) }
}

import type { Transport } from '../../call/call.ts'
import { rateAfter, requestSize, type RequestSize } from '../../protocol/upload-pace.ts'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { handoutsOf, type UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import type { CountedTransport } from '../engine/rate.ts'
import { described, verdictOf } from '../engine/request.ts'
import {
  checkBytes,
  readBytes,
  askOffset,
  beginUpload,
  finalizeUpload,
  removeUpload,
  sendBytes,
  sendCaptions,
  sendHandout,
} from './upload-requests.ts'
import {
  codeOf,
  handleFailure,
  isGone,
  isMine,
  isProxyLimit,
  maxSends,
  progressAt,
  stopFor,
  WrongOffset,
} from './upload-failure.ts'
import { change, dropUpload, finishUpload, type RunOptions } from './upload-jobs.ts'
import { currentOf, hasConflict, rebaseReplacement } from './replacement.ts'

/** One run of a job. */
interface Run extends RunOptions {
  size: RequestSize
  db: UploadDatabase
  transport: CountedTransport
  signal: AbortSignal
  /** Whether the upload was restarted in this run; the next restart waits for the backoff. */
  hasBegunAnew: boolean
  /** The server refused bytes at this offset: if it also reports this offset, it contradicts itself. */
  refusedAt?: number
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
    if (!isMine(left, run.userId())) return undefined
    return {
      ...(left.state !== 'cancelled' && { state: 'queued' as const }),
      // The five minutes begin now, not when the job was queued behind others.
      ...(left.attempts === 0 && progressAt(run.now())),
    }
  })
  try {
    while (job && isMine(job, run.userId()) && !signal.aborted) job = await step(run, job)
  } catch (error) {
    // Aborted by a person or by the end of this page: not a failed attempt.
    if (job && !signal.aborted) await handleFailure(run, job, error)
  }
}

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
    // If it was cancelled elsewhere, the server would repeat this answer for its id for ever.
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
  return begun && sends >= maxSends ? stopFor(run, begun, 'rejected', new WrongOffset()) : begun
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

/** Requests the offset again after a failed attempt, if the server still has the upload. Bounded as `beginAnew`. */
async function sendAgain(
  run: Run,
  { id, sends = 0, acknowledged }: UploadJob,
): Promise<UploadJob | undefined> {
  const again = await proceed(run, { id }, { state: 'queued', sends: sends + 1, acknowledged })
  if (again && sends + 1 >= maxSends) return stopFor(run, again, 'rejected', new WrongOffset())
  if (run.hasBegunAnew) throw new WrongOffset()
  run.hasBegunAnew = true
  delete run.refusedAt
  return again
}

async function send(run: Run, job: UploadJob): Promise<UploadJob | undefined> {
  const { acknowledged, rate } = job
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
  if (offset === acknowledged + bytes.length && offset > (job.furthest ?? 0)) run.transport.forget()
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
  // Bytes that are sent again are no progress that would end a backoff.
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
    return await publish(run, current)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'upload_damaged') await checkBytes(run.db, job)
    if (code === 'upload_incomplete') {
      run.refusedAt = job.size
      return proceed(run, job, { state: 'queued', phase: 'begun' })
    }
    const changed = currentOf(current, error)
    if (changed && !hasConflict(current, changed))
      return proceed(run, job, rebaseReplacement(current, changed))
    if (!isGone(error)) throw error
    if (await isTeachingGone(run, current)) return stopFor(run, job, 'rejected', error)
    return beginAnew(run, job, error)
  }
}

/** Publishes the recording, then sends its text and handouts; if that fails for now, the next run sends these alone. */
async function publish(run: Run, job: UploadJob): Promise<undefined> {
  const teaching = job.teaching ?? (await finalizeUpload(job, run.transport, run.signal))
  const { captions, handouts = [] } = job
  if (!captions && handouts.length === 0) return finish(run, job.id, { teaching })
  if (!(await proceed(run, job, { teaching }))) return undefined
  const end: Parameters<typeof finishUpload>[2] = { teaching }
  if (captions) {
    const refused = await refusalOf(sendCaptions(job, teaching, run.transport, run.signal))
    if (refused) end.refused = refused
  }
  for (const [at, name] of handouts.entries()) {
    const row = await run.db.chunks.get([handoutsOf(job.id), at])
    const file = row && new File([new Uint8Array(row.data)], name)
    const refused = file
      ? await refusalOf(sendHandout(job, file, teaching, run.transport, run.signal))
      : { sentence: texts.handoutLost }
    if (refused) end.refusedHandouts = [...(end.refusedHandouts ?? []), { name, sentence: refused.sentence }]
  }
  return finish(run, job.id, end)
}

/**
 * Why the server refused a file, if it did.
 *
 * @throws the failure of a request that may be repeated
 */
async function refusalOf(sending: Promise<void>): Promise<ReturnType<typeof described> | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    if (['again', 'sign in'].includes(verdictOf(error))) throw error
    return described(error)
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
      return finish(run, job.id, { teaching: await finalizeUpload(job, transport, signal) })
    if (!isGone(error)) throw error
  }
  await dropUpload(db, job.id)
}

async function finish(
  { db, transport, now, onEvent }: Run,
  id: string,
  end: Parameters<typeof finishUpload>[2],
): Promise<undefined> {
  await finishUpload(db, id, end, now())
  transport.forget()
  const job = await db.jobs.get(id)
  if (job) onEvent({ kind: 'done', job })
}

/** Stores a step, unless the job was paused or cancelled meanwhile. */
function proceed(
  run: Run,
  { id }: Pick<UploadJob, 'id'>,
  changes: Partial<UploadJob>,
): Promise<UploadJob | undefined> {
  return change(run.db, id, (job) =>
    isMine(job, run.userId()) && job.state !== 'cancelled' ? changes : undefined,
  )
}

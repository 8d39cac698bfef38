import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '../../protocol/uuid.ts'
import { endBackoff, noBackoff } from '../engine/backoff.ts'
import { handoutsOf, type UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import type { RequestRate } from '../engine/rate.ts'

/** Reads and changes upload jobs on this device; nothing here calls the server. */

/** So many finished jobs stay listed. */
const shownDone = 20

/** The jobs of this user and those without an owner, oldest first. For live queries. */
export async function readUploads(db: UploadDatabase, userId: number | undefined): Promise<UploadJob[]> {
  const jobs = await db.jobs
    .filter(({ ownerUserId, state }) => (ownerUserId ?? userId) === userId && state !== 'cancelled')
    .toArray()
  // The table is in the order of the ids, and those of one moment stay in it.
  return jobs.sort((a, b) => a.createdAt - b.createdAt)
}

/** Whether the queue can go on with it without a person. */
export const isUnderWay = ({ state, paused }: UploadJob): boolean =>
  // A cancelled job is deleted on the server even if it was paused.
  state === 'cancelled' || (!paused && ['queued', 'creating', 'uploading', 'finalizing'].includes(state))

export async function pauseUpload(db: UploadDatabase, id: string): Promise<void> {
  await change(db, id, ({ state }) => (['done', 'cancelled'].includes(state) ? undefined : { paused: true }))
}

export async function resumeUpload(db: UploadDatabase, id: string, now: number): Promise<void> {
  await change(db, id, ({ state }) =>
    state === 'cancelled' ? undefined : { paused: false, ...noBackoff, movedAt: now },
  )
}

/** Changes the fields while they can still be sent. Returns false if it is too late, or the job is gone. */
export async function correctUpload(db: UploadDatabase, id: string, fields: EnteredFields): Promise<boolean> {
  const changed = await change(db, id, (job) => (mayBePublished(job) ? undefined : { fields }))
  return changed !== undefined
}

/**
 * Whether the fields may already be in the library: when finalizing was requested, the recording may be published even
 * if no answer came. Only a refusal excludes it.
 */
export const mayBePublished = ({ state, phase }: UploadJob): boolean =>
  ['finalizing', 'done', 'cancelled'].includes(state) ||
  (phase === 'arrived' && !['rejected', 'duplicate', 'lost'].includes(state))

/**
 * Retries a job that the server refused, at a person's request. The server may need all bytes again, or have them and
 * need only the corrected fields.
 */
export async function retryUpload(
  db: UploadDatabase,
  id: string,
  { fields, replace, seen, acceptCutOff, acceptSound }: RetryOptions,
  now: number,
): Promise<void> {
  await change(db, id, (job) => {
    if (!['rejected', 'duplicate'].includes(job.state)) return undefined
    const isGone = goneAfter.includes(job.lastError?.code ?? '')
    return {
      ...queued(now),
      ...(isGone && { uploadId: uuidv7(now), phase: 'new' as const, acknowledged: 0 }),
      // The server may have deleted the bytes: ask for the offset first.
      ...(!isGone && job.phase === 'arrived' && { phase: 'begun' as const }),
      ...(fields && { fields }),
      ...(replace && { replace }),
      ...(seen && { seen }),
      ...(acceptCutOff && { acceptCutOff }),
      ...(acceptSound && { acceptSound }),
    }
  })
}

/** An accepted recording is published as it is, for as long as it is in the queue. */
type RetryOptions = Partial<Pick<UploadJob, 'fields' | 'replace' | 'seen' | 'acceptCutOff' | 'acceptSound'>>

/**
 * The answer by which a person publishes a recording that the server asks about, because its end is missing or because it
 * does not sound as it should; undefined for any other job.
 */
export function askedAnswer({ state, lastError }: UploadJob): 'acceptCutOff' | 'acceptSound' | undefined {
  if (state !== 'rejected') return undefined
  if (lastError?.code === 'cut_off') return 'acceptCutOff'
  return lastError?.code === 'sounds_wrong' ? 'acceptSound' : undefined
}

/** The library never takes this file: sent again, or with other fields, it would be refused again. A duplicate may be one by its fields. */
export const needsOtherFile = ({ state, lastError }: UploadJob): boolean =>
  state === 'duplicate' ||
  (state === 'rejected' && ['unsupported_audio', 'too_large'].includes(lastError?.code ?? ''))

/** After these errors the server accepts nothing more for the same upload id. */
const goneAfter = ['upload_gone', 'upload_damaged', 'duplicate', 'unsupported_audio', 'too_large']

/** A person has confirmed a job that was shared from another app: it is theirs and may be sent. */
export async function confirmUpload(
  db: UploadDatabase,
  id: string,
  fields: EnteredFields,
  userId: number,
  now: number,
): Promise<void> {
  await db.transaction('rw', db.jobs, async () => {
    const job = await db.jobs.get(id)
    if (!job?.unconfirmed) return
    const { unconfirmed: _, ...rest } = job
    await db.jobs.put({
      ...rest,
      fields,
      paused: false,
      ownerUserId: job.ownerUserId ?? userId,
      movedAt: now,
    })
  })
}

/**
 * Cancels a job: its bytes are deleted from this device at once. If the server may have the upload, the job stays without
 * them until the leader tab has deleted it there. One that is done, even since the person pressed, stays on the list: it is in
 * the library, and must not look cancelled.
 */
export async function cancelUpload(db: UploadDatabase, id: string): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(id)
    if (!job || job.state === 'done') return
    if (job.phase === 'new' && !job.asked) return dropUpload(db, id)
    await deleteFiles(db, id)
    await db.jobs.update(id, { state: 'cancelled', ...noBackoff })
  })
}

/** Takes a job that is done off the list; no other one. */
export async function takeOffList(db: UploadDatabase, id: string): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    if ((await db.jobs.get(id))?.state === 'done') await dropUpload(db, id)
  })
}

/** After a sign-in: requeues the user's blocked jobs, and gives them the jobs without an owner. */
export async function unblockUploads(db: UploadDatabase, userId: number, now: number): Promise<void> {
  await db.transaction('rw', db.jobs, async () => {
    await db.jobs.filter(({ ownerUserId }) => ownerUserId === null).modify({ ownerUserId: userId })
    await db.jobs
      .filter(({ ownerUserId, state }) => ownerUserId === userId && state === 'blocked_auth')
      .modify(queued(now))
    await db.jobs
      .filter(({ ownerUserId, state }) => ownerUserId === userId && state === 'cancelled')
      .modify({ nextAttemptAt: 0 })
  })
}

/** Ends backoffs: of all jobs at a person's request; of those without an answer when the network may be back. */
export async function retryUploadsNow(db: UploadDatabase, why: 'asked' | 'network'): Promise<void> {
  await db.jobs.filter((job) => isUnderWay(job)).modify(endBackoff(why))
}

/** Updates a job in a transaction; undefined if it is gone, or `by` returns no change. */
export async function change(
  db: UploadDatabase,
  id: string,
  by: (job: UploadJob) => Partial<UploadJob> | undefined,
): Promise<UploadJob | undefined> {
  return db.transaction('rw', db.jobs, async () => {
    const job = await db.jobs.get(id)
    if (!job) return undefined
    const changes = by(job)
    if (!changes) return undefined
    const changed = { ...job, ...changes }
    await db.jobs.put(changed)
    return changed
  })
}

/**
 * Marks a job as done and deletes its bytes in the same transaction.
 *
 * @param refused why the server refused its text; its refused handouts have reasons of their own
 */
export async function finishUpload(
  db: UploadDatabase,
  id: string,
  {
    teaching,
    refused,
    refusedHandouts = [],
  }: {
    teaching: NonNullable<UploadJob['teaching']>
    refused?: UploadJob['lastError']
    refusedHandouts?: UploadJob['refusedHandouts']
  },
  now: number,
): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(id)
    if (!job) return
    const { lastError: _, captions: _text, handouts: _names, ...rest } = job
    await db.jobs.put({
      ...rest,
      ...(refused && { lastError: refused }),
      ...(refusedHandouts.length > 0 && { refusedHandouts }),
      state: 'done',
      phase: 'arrived',
      acknowledged: job.size,
      teaching,
      finishedAt: now,
    })
    await deleteFiles(db, id)
    const done = await db.jobs.filter(({ state }) => state === 'done').toArray()
    const old = done.sort((a, b) => b.finishedAt! - a.finishedAt!).slice(shownDone)
    await db.jobs.bulkDelete(old.map((each) => each.id))
  })
}

/** Deletes a job with its bytes; also inside a transaction over both tables. */
export async function dropUpload(db: UploadDatabase, id: string): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    await deleteFiles(db, id)
    await db.jobs.delete(id)
  })
}

/** Deletes the bytes of a recording and its handouts. */
async function deleteFiles(db: UploadDatabase, id: string): Promise<void> {
  await deleteChunks(db, id)
  await deleteChunks(db, handoutsOf(id))
}

export async function deleteChunks(db: UploadDatabase, id: string): Promise<void> {
  await db.chunks.where('[jobId+index]').between([id, 0], [id, Infinity]).delete()
}

const queued = (now: number) => ({
  state: 'queued' as const,
  paused: false,
  ...noBackoff,
  sends: 0,
  wasBegun: false,
  furthest: 0,
  movedAt: now,
  timeoutTold: false,
})

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

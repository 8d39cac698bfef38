import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'

/** What a person may see of, and do about, recordings that wait on this device. Nothing here talks to the server. */

/** Done ones are kept as a short history. */
const shownDone = 20

/** Everything of this person, in the order it was given; what nobody owns yet is everybody's. Fit for a live query. */
export async function readUploads(db: UploadDatabase, userId: number | undefined): Promise<UploadJob[]> {
  const jobs = await db.jobs
    .filter(({ ownerUserId, state }) => (ownerUserId ?? userId) === userId && state !== 'cancelled')
    .toArray()
  return jobs.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

/** Whether it still has a way to go that needs nobody but the line. */
export const isUnderWay = ({ state, paused }: UploadJob): boolean =>
  // What was given up while it was paused is taken back all the same.
  state === 'cancelled' || (!paused && ['queued', 'creating', 'uploading', 'finalizing'].includes(state))

export async function pauseUpload(db: UploadDatabase, id: string): Promise<void> {
  await change(db, id, ({ state }) => (['done', 'cancelled'].includes(state) ? undefined : { paused: true }))
}

export async function resumeUpload(db: UploadDatabase, id: string, now: number): Promise<void> {
  await change(db, id, ({ state }) =>
    state === 'cancelled' ? undefined : { paused: false, nextAttemptAt: 0, movedAt: now },
  )
}

/** Better words, while they can still be sent. False where it is too late, or nothing is there to be named. */
export async function correctUpload(db: UploadDatabase, id: string, fields: EnteredFields): Promise<boolean> {
  const changed = await change(db, id, (job) => (mayBePublished(job) ? undefined : { fields }))
  return changed !== undefined
}

/**
 * Whether its words may be in the library already: what was asked to become a teaching may be one, whether its answer
 * came or not. Only a refusal says that it is none.
 */
export const mayBePublished = ({ state, phase }: UploadJob): boolean =>
  ['finalizing', 'done', 'cancelled'].includes(state) ||
  (phase === 'arrived' && !['rejected', 'duplicate', 'lost'].includes(state))

/**
 * A person asks again for what the server refused. Its bytes are still here; the server may ask for all of them, or
 * have kept them and only need the better words.
 */
export async function retryUpload(
  db: UploadDatabase,
  id: string,
  { fields, replace }: { fields?: EnteredFields; replace?: UploadJob['replace'] },
  now: number,
): Promise<void> {
  await change(db, id, (job) => {
    if (!['rejected', 'duplicate'].includes(job.state)) return undefined
    const isGone = goneAfter.includes(job.lastError?.code ?? '')
    return {
      ...queued(now),
      ...(isGone && { uploadId: uuidv7(now), phase: 'new' as const, acknowledged: 0 }),
      // Whether the server has kept its bytes is asked first.
      ...(!isGone && job.phase === 'arrived' && { phase: 'begun' as const }),
      ...(fields && { fields }),
      ...(replace && { replace }),
    }
  })
}

/** After these the server takes no byte and no word for the same upload any more. */
const goneAfter = ['upload_gone', 'duplicate', 'unsupported_audio', 'too_large']

/** A person has looked at what came from another app; it is theirs from now on, and may go. */
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

/** Given up. What the server knows of it is taken back there by the one page that uploads; then its rows go. */
export async function cancelUpload(db: UploadDatabase, id: string): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(id)
    if (!job) return
    if (job.state === 'done' || (job.phase === 'new' && !job.asked)) await dropUpload(db, id)
    else await db.jobs.update(id, { state: 'cancelled', nextAttemptAt: 0, attempts: 0 })
  })
}

/** A person signed in: what waited for that goes on, and what nobody owned is theirs. */
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

/** The line is back, or a person asked: nothing waits for its time any more. */
export async function retryUploadsNow(db: UploadDatabase): Promise<void> {
  await db.jobs.filter((job) => isUnderWay(job) && job.nextAttemptAt > 0).modify({ nextAttemptAt: 0 })
}

/** Changes a job by what it is now; undefined where it is gone, or `by` wants nothing changed. */
export async function change(
  db: UploadDatabase,
  id: string,
  by: (job: UploadJob) => Partial<UploadJob> | undefined,
): Promise<UploadJob | undefined> {
  return db.transaction('rw', db.jobs, async () => {
    const job = await db.jobs.get(id)
    const changes = job && by(job)
    if (!job || !changes) return undefined
    const changed = { ...job, ...changes }
    await db.jobs.put(changed)
    return changed
  })
}

/** The teaching stands: its bytes are not needed here any more, in the same transaction that says so. */
export async function finishUpload(
  db: UploadDatabase,
  id: string,
  teaching: NonNullable<UploadJob['teaching']>,
  now: number,
): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(id)
    if (!job) return
    const { lastError: _, ...rest } = job
    await db.jobs.put({
      ...rest,
      state: 'done',
      phase: 'arrived',
      acknowledged: job.size,
      teaching,
      finishedAt: now,
    })
    await deleteChunks(db, id)
    const done = await db.jobs.filter(({ state }) => state === 'done').toArray()
    const old = done.sort((a, b) => b.finishedAt! - a.finishedAt!).slice(shownDone)
    await db.jobs.bulkDelete(old.map((each) => each.id))
  })
}

/** To be called in a transaction over both tables, or alone. */
export async function dropUpload(db: UploadDatabase, id: string): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    await deleteChunks(db, id)
    await db.jobs.delete(id)
  })
}

export async function deleteChunks(db: UploadDatabase, id: string): Promise<void> {
  await db.chunks.where('[jobId+index]').between([id, 0], [id, Infinity]).delete()
}

const queued = (now: number) => ({
  state: 'queued' as const,
  paused: false,
  attempts: 0,
  nextAttemptAt: 0,
  movedAt: now,
  timeoutTold: false,
})

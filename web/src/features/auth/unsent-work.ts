import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { freeAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { dueAt } from '@fellowship/sync/client/engine/backoff'
import { watch } from '@fellowship/sync/client/engine/live'
import { readListeningStatus, removePerson } from '@fellowship/sync/client/listening/listening-accounts'
import { notePosition } from '@fellowship/sync/client/listening/listening.store'
import { discardAll, park, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import {
  cancelUpload,
  isUnderWay,
  readUploads,
  retryUploadsNow,
} from '@fellowship/sync/client/uploads/upload-jobs'
import { forgetLeft, takeLeft } from '../../lib/left-moments.ts'
import { pageQueues } from '../sync/page-queues.ts'

/** How many outbox entries and uploads of a user have not been sent. */
export interface UnsentWork {
  changes: number
  uploads: number
}

/** Reads both queues. Never rejects: without IndexedDB they are empty. */
export async function unsentWork(userId: number): Promise<UnsentWork> {
  const [entries, jobs] = await Promise.all([
    readOutbox(appDatabase(), userId).catch(() => []),
    unfinished(userId).catch(() => []),
  ])
  return { changes: entries.length, uploads: jobs.length }
}

/**
 * Stops sending for this user: a request that is in flight during the sign-out would arrive without a session.
 *
 * @returns a function that resumes if the sign-out fails
 */
export async function pauseQueues(userId: number): Promise<() => void> {
  // Places that other pages of this user have left are theirs.
  await takeLeft(notePosition).catch(() => undefined)
  pageQueues().setUser(undefined)
  return () => pageQueues().setUser(userId)
}

/** How many bytes of the recordings the server has. */
export interface Sending {
  sent: number
  total: number
}

/**
 * Sends everything, for as long as bytes move: an attempt that fails ends it, and so does a recording that needs a person.
 *
 * @param signal stops waiting; the queue goes on
 * @returns the work that is left
 */
export async function sendAll(
  userId: number,
  onProgress: (sending: Sending) => void,
  signal: AbortSignal,
): Promise<UnsentWork> {
  const db = uploadDatabase()
  await retryUploadsNow(db, 'asked')
  await pageQueues().sendNow()
  let total: number | undefined
  await until(
    () => unfinished(userId),
    (jobs) => {
      const left = jobs.reduce((sum, { size, acknowledged }) => sum + size - acknowledged, 0)
      total ??= jobs.reduce((sum, { size }) => sum + size, 0)
      onProgress({ sent: Math.max(total - left, 0), total })
      return !jobs.some(isMoving)
    },
    signal,
  )
  return unsentWork(userId)
}

/** Whether it is copied, sent or about to be; not while it waits after a failed attempt. */
const isMoving = (job: UploadJob): boolean =>
  job.state === 'copying' || (isUnderWay(job) && dueAt(job, Date.now()) <= Date.now())

/** Leaves the work on the device, hidden until this user signs in again. */
export const parkWork = (userId: number): Promise<void> => park(appDatabase(), userId)

/**
 * Deletes the work from this device. While the session lasts, the server is asked to delete what it has of the recordings; if
 * it does not answer soon, that is done after the next sign-in.
 */
export async function discardWork(userId: number): Promise<void> {
  const db = uploadDatabase()
  await discardAll(appDatabase(), userId)
  for (const { id } of await unfinished(userId)) await cancelUpload(db, id)
  await until(
    () => db.jobs.filter((job) => job.ownerUserId === userId && job.state === 'cancelled').toArray(),
    (jobs) => !jobs.some(isMoving),
    AbortSignal.timeout(deletionMs),
  )
}

const deletionMs = 5_000

/** Resolves when the rows of a live query are as wanted, or at the signal. */
async function until<Row>(
  read: () => PromiseLike<Row>,
  isEnd: (rows: Row) => boolean,
  signal: AbortSignal,
): Promise<void> {
  let stop = () => {}
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    stop = watch(read, (rows) => {
      if (isEnd(rows)) resolve()
    })
  })
  stop()
}

/** Whether this device shows the listening of a user who syncs it with the account: it can stay or be removed. */
export async function keepsListening(userId: number): Promise<boolean> {
  const { owner, account } = await readListeningStatus(userId)
  return owner === userId && account?.on === true
}

/** Sends the listening of this user; resolves with the number of pending changes. */
export async function sendListening(userId: number): Promise<number> {
  await pageQueues().listening.syncNow()
  return (await readListeningStatus(userId)).unsent
}

export async function removeListening(userId: number): Promise<void> {
  forgetLeft()
  await removePerson(appDatabase(), userId)
}

/** Removes the recordings that this user played and did not save: their titles are nobody else's business. */
export async function removePlayed(userId: number): Promise<void> {
  await freeAhead(({ ahead }) => ahead?.owner === userId)
}

const unfinished = async (userId: number) =>
  (await readUploads(uploadDatabase(), userId)).filter(({ state }) => state !== 'done')

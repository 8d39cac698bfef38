import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { readListeningStatus, removePerson } from '@fellowship/sync/client/listening/listening-accounts'
import { discardAll, park, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { cancelUpload, readUploads } from '@fellowship/sync/client/uploads/upload-jobs'
import { forgetLeft } from '../../lib/left-moments.ts'
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
export function pauseQueues(userId: number): () => void {
  pageQueues().setUser(undefined)
  return () => pageQueues().setUser(userId)
}

/** Sends everything that is due and resolves afterwards. */
export const sendNow = (): Promise<void> => pageQueues().outbox.sendNow()

/** Leaves the work on the device, hidden until this user signs in again. */
export const parkWork = (userId: number): Promise<void> => park(appDatabase(), userId)

export async function discardWork(userId: number): Promise<void> {
  await discardAll(appDatabase(), userId)
  for (const { id } of await unfinished(userId)) await cancelUpload(uploadDatabase(), id)
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

const unfinished = async (userId: number) =>
  (await readUploads(uploadDatabase(), userId)).filter(({ state }) => state !== 'done')

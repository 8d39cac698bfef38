import { appDatabase, uploadDatabase } from '@fellowship/sync/client/database'
import { discardAll, park, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { cancelUpload, readUploads } from '@fellowship/sync/client/uploads/upload-jobs'
import { pageQueues } from '../sync/page-queues.ts'

/** What this person would leave behind on the device. */
export interface UnsentWork {
  changes: number
  uploads: number
}

/** Never rejects: where the device keeps nothing, nothing is left behind. */
export async function unsentWork(userId: number): Promise<UnsentWork> {
  const [entries, jobs] = await Promise.all([
    readOutbox(appDatabase(), userId).catch(() => []),
    unfinished(userId).catch(() => []),
  ])
  return { changes: entries.length, uploads: jobs.length }
}

/**
 * From now on nothing of this person is sent: what left at the same time as the sign-out would arrive without a session.
 *
 * @returns the way back, where the signing out fails
 */
export function standStill(userId: number): () => void {
  pageQueues().setUser(undefined)
  return () => pageQueues().setUser(userId)
}

/** Resolves when what can be sent now is. */
export const sendNow = (): Promise<void> => pageQueues().outbox.sendNow()

/** It stays for when this person signs in again, out of everyone's sight. */
export const keep = (userId: number): Promise<void> => park(appDatabase(), userId)

export async function giveUp(userId: number): Promise<void> {
  await discardAll(appDatabase(), userId)
  for (const { id } of await unfinished(userId)) await cancelUpload(uploadDatabase(), id)
}

const unfinished = async (userId: number) =>
  (await readUploads(uploadDatabase(), userId)).filter(({ state }) => state !== 'done')

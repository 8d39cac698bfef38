import type { AppDatabase } from './database/app-database.ts'
import type { UploadDatabase } from './database/upload-database.ts'
import { readUnsent } from './listening/listening-accounts.ts'
import { readOutbox } from './outbox/outbox.ts'
import { readUploads } from './uploads/upload-jobs.ts'

/**
 * Counts the unsent work of this user on this device: changes of teachings and of series, recordings, and listening if
 * it is kept with the account. Entries that need a person count too; listening that the server has rejected does not.
 */
export async function countWaiting(
  app: AppDatabase,
  uploads: UploadDatabase,
  userId: number | undefined,
): Promise<number> {
  const [entries, jobs, listening] = await Promise.all([
    readOutbox(app, userId),
    readUploads(uploads, userId),
    readUnsent(app, userId),
  ])
  return entries.length + jobs.filter(({ state }) => state !== 'done').length + listening.length
}

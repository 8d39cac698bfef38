import type { AppDatabase } from './database/app-database.ts'
import type { UploadDatabase } from './database/upload-database.ts'
import { readAccount, readOwner } from './listening/listening-owner.ts'
import { readOutbox } from './outbox/outbox.ts'
import { readUploads } from './uploads/upload-jobs.ts'

/**
 * How much of this user waits on this device and is not with the server: changes of teachings and of series, recordings, and
 * listening where it is kept with the account. What needs a person waits too.
 */
export async function countWaiting(
  app: AppDatabase,
  uploads: UploadDatabase,
  userId: number | undefined,
): Promise<number> {
  const [entries, jobs, listening] = await Promise.all([
    readOutbox(app, userId),
    readUploads(uploads, userId),
    countListening(app, userId),
  ])
  return entries.length + jobs.filter(({ state }) => state !== 'done').length + listening
}

/** Without what no server takes: that stays on the device, and says so where it is shown. */
async function countListening(db: AppDatabase, userId: number | undefined): Promise<number> {
  if (userId === undefined || (await readOwner(db)) !== userId) return 0
  if (!(await readAccount(db, userId))?.on) return 0
  return db.unsentListening.filter(({ refused }) => refused === undefined).count()
}

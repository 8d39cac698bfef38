import { Problem } from '@fellowship/schema/problem'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { addFile, chooseAgain, type NewUpload } from '@fellowship/sync/client/uploads/upload-copy'
import { browserCopying } from '@fellowship/sync/client/uploads/upload-copying'
import { isQuota } from '@fellowship/sync/protocol/quota'

export type CopyRequest =
  | { file: File; upload: NewUpload; again?: never }
  | { file: File; again: { id: string; now: number }; upload?: never }

/**
 * lost: the job is in the queue without its bytes. It is no error object, because a message from a worker loses the class.
 */
export type CopyAnswer = { id: string | undefined } | { sentence: string; lost: boolean }

/** Copies a file into the upload queue, in a page or a worker. Never rejects. */
export async function copyFile(
  db: UploadDatabase,
  { file, upload, again }: CopyRequest,
): Promise<CopyAnswer> {
  try {
    const id = upload
      ? await addFile(db, file, upload, browserCopying)
      : await chooseAgain(db, again.id, file, again.now, browserCopying)
    return { id }
  } catch (error) {
    if (error instanceof Problem) return { sentence: error.message, lost: false }
    const sentence = isQuota(error) ? uploadQueueTexts.deviceFull : uploadQueueTexts.unreadable
    const now = upload?.now
    const lost = await db.jobs
      .filter(
        ({ state, createdAt, filename }) => state === 'lost' && createdAt === now && filename === file.name,
      )
      .count()
      .catch(() => 0)
    return { sentence, lost: lost > 0 }
  }
}

import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { Problem } from '@fellowship/schema/problem'
import { uploadDatabase } from '@fellowship/sync/client/database'
import { isQuota } from '@fellowship/sync/protocol/quota'
import { browserCopying } from '@fellowship/sync/client/uploads/upload-copying'
import { addFile, chooseAgain, type NewUpload } from '@fellowship/sync/client/uploads/upload-copy'

/** Another upload, or the file of a lost one. */
export type CopyRequest =
  | { file: File; upload: NewUpload; again?: never }
  | { file: File; again: { id: string; now: number }; upload?: never }

export type CopyAnswer = { id: string | undefined } | { sentence: string; lost: boolean }

addEventListener('message', ({ data }: MessageEvent<CopyRequest>) => {
  void keep(data).then((answer) => postMessage(answer))
})

async function keep({ file, upload, again }: CopyRequest): Promise<CopyAnswer> {
  const db = uploadDatabase()
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

import { rereadAll } from '@fellowship/sync/client/database/storage-cleared'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import type { NewUpload } from '@fellowship/sync/client/uploads/upload-copy'
import { holdWhile } from '../../lib/busy.ts'
import { soundAnswerOf } from './sound/shown-sounds.ts'
import { copyFile, type CopyAnswer, type CopyRequest } from './copy-request.ts'

/**
 * The upload job is stored, but not all bytes of its file: the queue shows the reason, and the file can be chosen again.
 */
export class LostFile extends Error {
  override readonly name = 'LostFile'
}

/**
 * Copies a file into the upload queue, hashed in a worker so that the page stays responsive. Until the copy is complete,
 * the browser asks before the page is left, and no update reloads it.
 *
 * @returns the job's id; undefined if the upload was cancelled before the end
 * @throws an error whose message is shown to the user
 */
export const copyToDevice = (file: File, upload: NewUpload): Promise<string | undefined> =>
  copy({ file, upload: { ...upload, ...soundAnswerOf(file) } })

/** Copies the file of a lost upload that was chosen again; otherwise like `copyToDevice`. */
export const copyAgainToDevice = (id: string, file: File): Promise<string | undefined> =>
  copy({ file, again: { id, now: Date.now() } })

async function copy(request: CopyRequest): Promise<string | undefined> {
  // Asks the browser not to evict uploads when the device runs short of room.
  void navigator.storage?.persist?.().catch(() => false)
  return holdWhile(async () => {
    const db = uploadDatabase()
    // A worker has no access to a database in the memory of the page.
    const inPage = typeof Worker === 'undefined' || (await db.isInMemory().catch(() => false))
    const answer = await (inPage ? copyFile(db, request) : copyInWorker(request))
    if ('id' in answer) return answer.id
    throw answer.lost ? new LostFile(answer.sentence) : new Error(answer.sentence)
  })
}

function copyInWorker(request: CopyRequest): Promise<CopyAnswer> {
  const worker = new Worker(new URL('./copy-file.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<CopyAnswer>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<CopyAnswer>) => resolve(data))
    worker.addEventListener('error', () =>
      reject(new Error('Saving to this device did not start. Reload the page.')),
    )
    worker.postMessage(request)
  }).finally(() => {
    worker.terminate()
    // Dexie reports the rows that a worker wrote through this channel.
    if (typeof BroadcastChannel === 'undefined') rereadAll()
  })
}

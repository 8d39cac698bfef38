import type { UploadDatabase } from '@fellowship/sync/client/database'
import { uploadDatabase } from '@fellowship/sync/client/database'
import { browserCopying } from '@fellowship/sync/client/uploads/upload-copying'
import { addFile, chooseAgain, type NewUpload } from '@fellowship/sync/client/uploads/upload-copy'
import { holdWhile } from '../../lib/busy.ts'
import type { CopyAnswer, CopyRequest } from './copy-file.worker.ts'

/** It is in the queue, but not all of it came there: the queue says why, and it can be chosen again. */
export class LostFile extends Error {
  override readonly name = 'LostFile'
}

/**
 * Takes a file into the queue of this device, hashed in a worker so that the page goes on answering. Until it is all
 * here the page asks before it is left, and no update takes it away.
 *
 * @returns the job's id; undefined where it was given up meanwhile
 * @throws an error with the sentence for the person
 */
export const copyToDevice = (file: File, upload: NewUpload): Promise<string | undefined> =>
  busily({ file, upload }, (db) => addFile(db, file, upload, browserCopying))

/** The file of a lost upload, chosen again; otherwise as `copyToDevice`. */
export const copyAgainToDevice = (id: string, file: File): Promise<string | undefined> => {
  const now = Date.now()
  return busily({ file, again: { id, now } }, (db) => chooseAgain(db, id, file, now, browserCopying))
}

async function busily(
  request: CopyRequest,
  here: (db: UploadDatabase) => Promise<string | undefined>,
): Promise<string | undefined> {
  // Uploads are dear: the device is asked not to clear them when it runs short.
  void navigator.storage?.persist?.().catch(() => false)
  return holdWhile(() => (typeof Worker === 'undefined' ? here(uploadDatabase()) : inWorker(request)))
}

function inWorker(request: CopyRequest): Promise<string | undefined> {
  const worker = new Worker(new URL('./copy-file.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<string | undefined>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<CopyAnswer>) => {
      if ('sentence' in data) reject(data.lost ? new LostFile(data.sentence) : new Error(data.sentence))
      else resolve(data.id)
    })
    worker.addEventListener('error', () =>
      reject(new Error('Saving to this device did not start. Reload the page.')),
    )
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}

import { uploadDatabase } from '../database/upload-database.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { onSignal } from '../engine/signals.ts'
import { copyLock } from './upload-copying.ts'
import type { UploadDeps } from './upload-queue.ts'
import type { UploadJobEvent } from './upload-run-options.ts'

/** The browser's own deps for the upload queue. */
export function browserUploads(options: {
  userId: () => number | undefined
  onEvent: (event: UploadJobEvent) => void
}): UploadDeps {
  return {
    ...browserDeps('uploads', uploadDatabase()),
    ...options,
    db: uploadDatabase(),
    async isCopying(jobId) {
      if (typeof navigator.locks === 'undefined') return false
      const { held = [] } = await navigator.locks.query()
      return held.some(({ name }) => name === copyLock(jobId))
    },
    copyEnded: (jobId) =>
      typeof navigator.locks === 'undefined'
        ? new Promise(() => {})
        : navigator.locks.request(copyLock(jobId), () => undefined),
    onRetryNow: onSignal,
  }
}

import { browserTransport } from '../../call/call.ts'
import { uploadDatabase } from '../database/upload-database.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { pageRequestRate } from '../engine/rate.ts'
import { onSignal } from '../engine/signals.ts'
import { pause } from '../engine/sleep.ts'
import { copyLock } from './upload-copying.ts'
import type { UploadDeps } from './upload-queue.ts'
import type { UploadJobEvent } from './upload-run.ts'

/** The browser's own deps for the upload queue. */
export function browserUploads(options: {
  userId: () => number | undefined
  onEvent: (event: UploadJobEvent) => void
}): UploadDeps {
  return {
    ...options,
    db: uploadDatabase(),
    transport: browserTransport,
    now: () => Date.now(),
    random: Math.random,
    rate: pageRequestRate,
    pause,
    withLeaderLock: (work) => withLeaderLock('uploads', uploadDatabase(), work),
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

import type { UploadJob } from '../database/upload-database.ts'
import type { RequestRate } from '../engine/rate.ts'

/** For toasts. timeout: five minutes without one acknowledged byte. */
export type UploadJobEvent = {
  kind: 'done' | 'duplicate' | 'rejected' | 'blocked_auth' | 'timeout'
  job: UploadJob
}

export interface RunOptions {
  now: () => number
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  onEvent: (event: UploadJobEvent) => void
  /** The signed-in user. */
  userId: () => number | undefined
  rate: RequestRate
}

import { setTimeout as delay } from 'node:timers/promises'
import type { RequestRate } from '../client/engine/rate.ts'
import type { UploadDeps } from '../client/uploads/upload-queue.ts'

/** Many faults in little time, each retried at once. */
export const unlimitedRate: RequestRate = {
  transportOf: (_key, transport) => ({ ...transport, forget: () => undefined }),
}

/** The deps of an upload queue without a browser, with short waits. */
export const hurriedUploads = {
  now: () => Date.now(),
  random: () => 0.01,
  rate: unlimitedRate,
  onEvent: () => undefined,
  isCopying: () => Promise.resolve(false),
  copyEnded: () => new Promise(() => {}),
  onRetryNow: () => () => undefined,
  pause: async (ms, woken) => {
    await Promise.race([delay(Math.min(ms, 2 ** 30), undefined, { ref: false }), woken])
  },
} satisfies Partial<UploadDeps>

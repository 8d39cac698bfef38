import type { Transport } from '../../call/call.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { findInterruptedCopies } from './upload-copy.ts'
import { dueAt } from '../engine/backoff.ts'
import { sleep } from '../engine/sleep.ts'
import { retryUploadsNow, isUnderWay } from './upload-jobs.ts'
import { stalledAt, runUpload, reportStalledUploads, type RunOptions } from './upload-run.ts'
import { watch } from '../engine/live.ts'

/** Sends the upload jobs one at a time from the leader tab. */
export interface UploadQueue {
  /** Ends every backoff: the network is back, a person asked, or somebody signed in. */
  retryNow(): void
  stop(): void
}

/** What the queue needs of the browser; a test passes its own. */
export interface QueueDeps extends RunOptions {
  db: UploadDatabase
  transport: Transport
  /** Runs `work` while this tab holds the leader lock; its end aborts the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Whether some tab is copying the file of this job now. */
  isCopying: (jobId: string) => Promise<boolean>
  /** Resolves when no tab is copying this job any more; never in browsers without locks. */
  copyEnded: (jobId: string) => Promise<void>
  /** Calls back when the network is back or the page visible again. */
  onRetryNow: (then: () => void) => () => void
  /** Resolves after `ms`, or when `woken` does. */
  pause: (ms: number, woken: Promise<void>) => Promise<void>
}

export function startUploads(deps: QueueDeps): UploadQueue {
  const { db, transport, withLeaderLock, onRetryNow, pause } = deps
  const { wake, woken } = sleep()
  let current: { id: string; stop: AbortController } | undefined
  // Also of other tabs: each may add, pause or cancel jobs.
  const stopWatching = watch(
    () => db.jobs.toArray(),
    (rows) => {
      const running = current
      // Where the job cannot be read, the live query decides: it may not report the change again.
      if (running && !isWanted(rows.find(({ id }) => id === running.id)))
        stopUnwanted(running).catch(() => running.stop.abort())
      rows.filter(({ state }) => state === 'copying').forEach(({ id }) => void awaitCopy(id))
      wake()
    },
  )
  const awaitCopy = copyWatch(deps)
  /** A job that is cancelled while it is sent: sending is aborted, then it is deleted on the server. */
  const isWanted = (job: UploadJob | undefined) =>
    job !== undefined && isUnderWay(job) && (job.state !== 'cancelled' || isRemoving)
  let isRemoving = false
  /** A live query may report older rows than the running job, as when a copy has just ended: read it again. */
  const stopUnwanted = async ({ id, stop }: NonNullable<typeof current>) => {
    if (!isWanted(await db.jobs.get(id))) stop.abort()
  }

  /** Sends the next job, or waits until there is one. */
  async function oneTurn(signal: AbortSignal): Promise<void> {
    const signalled = woken()
    await reportStalledUploads(db, deps)
    const { next, dueAt } = await nextJob(deps)
    if (!next) return pause(dueAt === undefined ? Infinity : Math.max(dueAt - deps.now(), 0), signalled)
    const stop = new AbortController()
    const end = () => stop.abort()
    signal.addEventListener('abort', end, { once: true })
    isRemoving = next.state === 'cancelled'
    current = { id: next.id, stop }
    try {
      await runUpload(db, next.id, transport, deps, stop.signal)
    } finally {
      current = undefined
      signal.removeEventListener('abort', end)
    }
  }

  void findInterruptedCopies(db, deps.isCopying).catch(() => {})
  const releaseLeaderLock = withLeaderLock(async (signal) => {
    // The database failed (full, closed by the system): pause, then go on.
    while (!signal.aborted) await oneTurn(signal).catch(() => pause(afterFaultMs, woken()))
  })
  const retryNow = (why: 'asked' | 'network') => void retryUploadsNow(db, why).then(wake, wake)
  const stopRetryNow = onRetryNow(() => retryNow('network'))
  return {
    retryNow: () => retryNow('asked'),
    stop() {
      releaseLeaderLock()
      stopRetryNow()
      stopWatching()
      current?.stop.abort()
      wake()
    },
  }
}

const afterFaultMs = 1_000

/** A tab that is closed while it copies leaves half a file: the others mark it as lost at once. */
function copyWatch({ db, isCopying, copyEnded }: QueueDeps): (jobId: string) => Promise<void> {
  const awaited = new Set<string>()
  return async (jobId) => {
    if (awaited.has(jobId)) return
    awaited.add(jobId)
    await copyEnded(jobId)
      .then(() => findInterruptedCopies(db, isCopying))
      .catch(() => {})
    awaited.delete(jobId)
  }
}

/** The oldest job that is due; cancelled ones come first. */
async function nextJob({ db, now, userId }: QueueDeps): Promise<{ next?: UploadJob; dueAt?: number }> {
  const owner = userId()
  const jobs = await db.jobs.filter((job) => isUnderWay(job) && job.ownerUserId === owner).toArray()
  jobs.sort((a, b) => rank(a) - rank(b) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const next = jobs.find((job) => dueAt(job, now()) <= now())
  if (next) return { next }
  return jobs.length === 0
    ? {}
    : { dueAt: Math.min(...jobs.flatMap((job) => [dueAt(job, now()), stalledAt(job)])) }
}

const rank = ({ state }: UploadJob) => (state === 'cancelled' ? 0 : 1)

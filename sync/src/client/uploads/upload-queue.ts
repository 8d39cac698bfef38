import { requestSize } from '../../protocol/upload-pace.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { dueAt } from '../engine/backoff.ts'
import { watch } from '../engine/live.ts'
import { firstDue, startQueue, type Next, type SendingDeps } from '../engine/queue.ts'
import { findInterruptedCopies } from './upload-copy.ts'
import { isUnderWay, retryUploadsNow, type RunOptions } from './upload-jobs.ts'
import { reportStalledUploads, stalledAt } from './upload-failure.ts'
import { runUpload } from './upload-run.ts'

/** Sends the upload jobs one at a time from the leader tab. */
export interface UploadQueue {
  /** Ends every backoff, at a press or a sign-in. */
  retryNow(): void
  /** Call when the signed-in user changes; it aborts a request of another user. */
  userChanged(): void
  stop(): void
}

/** The browser's part of the queue; a test passes its own. */
export interface UploadDeps extends RunOptions, SendingDeps {
  db: UploadDatabase
  /** Whether some tab is copying the file of this job now. */
  isCopying: (jobId: string) => Promise<boolean>
  /** Resolves when no tab is copying this job any more; never in browsers without locks. */
  copyEnded: (jobId: string) => Promise<void>
  /** Calls back when the network is back or the page visible again. */
  onRetryNow: (then: () => void) => () => void
}

export function startUploads(deps: UploadDeps): UploadQueue {
  const { db, transport } = deps
  // For as long as the page is open: the proxy between stays the same.
  const size = requestSize()
  let current: { id: string; owner: number | null; isRemoving: boolean; stop: AbortController } | undefined
  const queue = startQueue(
    {
      width: 1,
      laneOf: () => 'one at a time',
      async next() {
        await reportStalledUploads(db, deps)
        return nextJob(deps)
      },
      async run({ id, ownerUserId: owner, state }: UploadJob, signal) {
        // Stopped while the job was looked up: an aborted signal fires no further event.
        if (signal.aborted) return
        const stop = new AbortController()
        const end = () => stop.abort()
        signal.addEventListener('abort', end, { once: true })
        current = { id, owner, isRemoving: state === 'cancelled', stop }
        try {
          await runUpload(db, id, transport, { ...deps, size }, stop.signal)
        } finally {
          current = undefined
          signal.removeEventListener('abort', end)
        }
      },
    },
    deps,
  )
  /** A job that is cancelled while it is sent: sending is aborted, then it is deleted on the server. */
  const isWanted = (job: UploadJob | undefined, isRemoving: boolean) =>
    job !== undefined && isUnderWay(job) && (job.state !== 'cancelled' || isRemoving)
  /** A live query may report older rows than the running job, as when a copy has just ended: read it again. */
  const stopUnwanted = async ({ id, isRemoving, stop }: NonNullable<typeof current>) => {
    if (!isWanted(await db.jobs.get(id), isRemoving)) stop.abort()
  }
  const awaitCopy = copyWatch(deps)
  // Also of other tabs: each may add, pause or cancel jobs.
  const stopWatching = watch(
    () => db.jobs.toArray(),
    (rows) => {
      const running = current
      const job = rows.find(({ id }) => id === running?.id)
      // If the job cannot be read, the live query decides: it may not report the change again.
      if (running && !isWanted(job, running.isRemoving))
        stopUnwanted(running).catch(() => running.stop.abort())
      rows.filter(({ state }) => state === 'copying').forEach(({ id }) => void awaitCopy(id))
      queue.wake()
    },
  )
  void findInterruptedCopies(db, deps.isCopying).catch(() => {})
  const retryNow = (why: 'asked' | 'network') => void retryUploadsNow(db, why).then(queue.wake, queue.wake)
  const stopRetryNow = deps.onRetryNow(() => retryNow('network'))
  return {
    retryNow: () => retryNow('asked'),
    userChanged() {
      if (current && current.owner !== deps.userId()) current.stop.abort()
      queue.wake()
    },
    stop() {
      queue.stop()
      stopRetryNow()
      stopWatching()
    },
  }
}

/** A tab that is closed while it copies leaves half a file: the others mark it as lost at once. */
function copyWatch({ db, isCopying, copyEnded }: UploadDeps): (jobId: string) => Promise<void> {
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
async function nextJob({ db, now, userId }: UploadDeps): Promise<Next<UploadJob>> {
  const owner = userId()
  const jobs = await db.jobs.filter((job) => isUnderWay(job) && job.ownerUserId === owner).toArray()
  jobs.sort((a, b) => rank(a) - rank(b) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const next = firstDue(jobs, (job) => dueAt(job, now()), now())
  if (next.dueAt === undefined) return next
  return { dueAt: Math.min(next.dueAt, ...jobs.map(stalledAt)) }
}

const rank = ({ state }: UploadJob) => (state === 'cancelled' ? 0 : 1)

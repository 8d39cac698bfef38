import type { Transport } from '../../call/call.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'
import { findInterruptedCopies } from './upload-copy.ts'
import { sleep } from '../engine/sleep.ts'
import { retryUploadsNow, isUnderWay } from './upload-jobs.ts'
import { stalledAt, runUpload, reportStalledUploads, type RunOptions } from './upload-run.ts'
import { watch } from '../engine/live.ts'

/** Sends what waits, one recording at a time, in one tab of the browser. */
export interface UploadQueue {
  /** The next attempt now: the line is back, a person asked, or somebody signed in. */
  retryNow(): void
  stop(): void
}

/** What of the browser the queue stands on; a test hands in its own. */
export interface QueueDeps extends RunOptions {
  db: UploadDatabase
  transport: Transport
  /** Runs `work` while this tab is the one that uploads; ends it by the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Whether some page is copying this job right now. */
  isCopying: (jobId: string) => Promise<boolean>
  /** Resolves when no page copies this job any more, be it done or closed; never where a browser cannot tell. */
  copyEnded: (jobId: string) => Promise<void>
  /** Calls back when the line or the person comes back. */
  onRetryNow: (then: () => void) => () => void
  /** Resolves after `ms`, or when `woken` does. */
  pause: (ms: number, woken: Promise<void>) => Promise<void>
}

export function startUploads(deps: QueueDeps): UploadQueue {
  const { db, transport, withLeaderLock, onRetryNow, pause } = deps
  const { wake, woken } = sleep()
  let current: { id: string; stop: AbortController } | undefined
  // Others' changes too: every tab may add, pause or give up.
  const stopWatching = watch(
    () => db.jobs.toArray(),
    (rows) => {
      const running = current
      // Where that cannot be read, what was told stands: nobody may tell it again.
      if (running && !isWanted(rows.find(({ id }) => id === running.id)))
        stopUnwanted(running).catch(() => running.stop.abort())
      rows.filter(({ state }) => state === 'copying').forEach(({ id }) => void awaitCopy(id))
      wake()
    },
  )
  const awaitCopy = copyWatch(deps)
  /** Given up while it is sent: the sending ends, and the taking back begins. */
  const isWanted = (job: UploadJob | undefined) =>
    job !== undefined && isUnderWay(job) && (job.state !== 'cancelled' || isTakenBack)
  let isTakenBack = false
  /** What a live query tells may be older than what is sent, as when a copy has just ended: asked for anew, it is not. */
  const stopUnwanted = async ({ id, stop }: NonNullable<typeof current>) => {
    if (!isWanted(await db.jobs.get(id))) stop.abort()
  }

  /** Sends the next one, or waits until there is one. */
  async function oneTurn(signal: AbortSignal): Promise<void> {
    const signalled = woken()
    await reportStalledUploads(db, deps)
    const { next, dueAt } = await nextJob(deps)
    if (!next) return pause(dueAt === undefined ? Infinity : Math.max(dueAt - deps.now(), 0), signalled)
    const stop = new AbortController()
    const end = () => stop.abort()
    signal.addEventListener('abort', end, { once: true })
    isTakenBack = next.state === 'cancelled'
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
    // The database failed (full, closed by the system), not the line: not at once again, and never the end.
    while (!signal.aborted) await oneTurn(signal).catch(() => pause(afterFaultMs, woken()))
  })
  const retryNow = () => void retryUploadsNow(db).then(wake, wake)
  const stopRetryNow = onRetryNow(retryNow)
  return {
    retryNow,
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

/** A tab that is closed while it copies leaves half a file: the others say so at once, and not when they are loaded anew. */
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

/** The one given first of those whose time has come; what was given up goes before all. */
async function nextJob({ db, now, userId }: QueueDeps): Promise<{ next?: UploadJob; dueAt?: number }> {
  const owner = userId()
  const jobs = await db.jobs.filter((job) => isUnderWay(job) && job.ownerUserId === owner).toArray()
  jobs.sort((a, b) => rank(a) - rank(b) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const next = jobs.find(({ nextAttemptAt }) => nextAttemptAt <= now())
  if (next) return { next }
  return jobs.length === 0
    ? {}
    : { dueAt: Math.min(...jobs.flatMap((job) => [job.nextAttemptAt, stalledAt(job)])) }
}

const rank = ({ state }: UploadJob) => (state === 'cancelled' ? 0 : 1)

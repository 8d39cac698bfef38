import { appDatabase, type AppDatabase } from './database/app-database.ts'
import { uploadDatabase, type UploadDatabase } from './database/upload-database.ts'
import { usesMemory } from './database/memory-fallback.ts'
import type { OutboxEvent } from './outbox/outbox-drain.ts'
import { browserOutbox, type OutboxSession } from './outbox/outbox-session.ts'
import { retryUntilDone } from './engine/sleep.ts'
import { browserListening, type ListeningSession } from './listening/listening-session.ts'
import { openTabChannel } from './engine/tab-channel.ts'
import { unblockUploads, readUploads, type UploadJobEvent } from './uploads/upload-jobs.ts'
import { startUploads, type UploadQueue, type UploadDeps } from './uploads/upload-queue.ts'
import { browserDeps } from './engine/browser-deps.ts'
import { onSignal } from './engine/signals.ts'
import { copyLock } from './uploads/upload-copying.ts'
import { readUnsent } from './listening/listening-accounts.ts'
import { readOutbox } from './outbox/outbox.ts'

/** The result of an outbox entry or an upload job, in whichever tab it was sent. */
type QueueEvent =
  | { about: 'change'; event: OutboxEvent }
  | { about: 'upload'; event: UploadJobEvent }
  | { about: 'listening'; event: 'signed out' }

/** The outbox, the upload queue and the listening of this device, sent by the leader tab for all. */
export interface DeviceQueues {
  readonly outbox: OutboxSession
  readonly uploads: UploadQueue
  readonly listening: ListeningSession
  /** The signed-in user of this page; only their entries are sent. */
  setUser(userId: number | undefined): void
  /**
   * Sends all that waits without waiting for retries; recordings go on after it.
   *
   * @returns how much of this user is still waiting; rejects if it cannot be read
   */
  sendNow(): Promise<number>
  onQueueEvent(listener: (event: QueueEvent) => void): () => void
}

let started: DeviceQueues | undefined

/** The queues of this page, started at the first call. */
export const deviceQueues = (): DeviceQueues => (started ??= start())

function start(): DeviceQueues {
  let currentUser: number | undefined
  const listeners = new Set<(event: QueueEvent) => void>()
  const notify = (event: QueueEvent) => {
    const owner = blockedOwner(event)
    // If the owner has signed out, which the refused tab has not noticed yet, no sign-in is needed here.
    if (owner !== undefined && owner !== currentUser) return
    for (const listener of listeners) listener(event)
  }
  const tabs = openTabChannel('device-work')
  tabs?.addEventListener('message', ({ data }: MessageEvent<QueueEvent>) => notify(data))
  const broadcast = (event: QueueEvent) => {
    notify(event)
    // Other tabs have databases of their own in their memory, in which the same numbers mean other entries.
    if (!usesMemory()) tabs?.postMessage(event)
  }
  const outbox = browserOutbox((event) => broadcast({ about: 'change', event }))
  const uploads = startUploads(
    browserUploads({ userId: () => currentUser, onEvent: (event) => broadcast({ about: 'upload', event }) }),
  )
  const listening = browserListening(() => broadcast({ about: 'listening', event: 'signed out' }))
  return {
    outbox,
    uploads,
    listening,
    setUser(userId) {
      outbox.setUser(userId)
      void listening.setUser(userId)
      if (userId === currentUser) return
      currentUser = userId
      uploads.userChanged()
      if (userId !== undefined)
        void retryUntilDone(
          () => unblockUploads(uploadDatabase(), userId, Date.now()),
          () => currentUser === userId,
        ).then(() => uploads.retryNow())
    },
    async sendNow() {
      if (currentUser !== undefined) await unblockUploads(uploadDatabase(), currentUser, Date.now())
      uploads.retryNow()
      // Entries that cannot be sent are counted, and show that in their own rows.
      await Promise.allSettled([outbox.sendNow(), listening.syncNow()])
      return countWaiting(appDatabase(), uploadDatabase(), currentUser)
    },
    onQueueEvent(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Whose entry waits for a sign-in; undefined for any other event. */
function blockedOwner(event: QueueEvent): number | null | undefined {
  if (event.about === 'listening' || event.event.kind !== 'blocked_auth') return undefined
  return event.about === 'upload' ? event.event.job.ownerUserId : event.event.entry.ownerUserId
}

/** The browser's own deps for the upload queue. */
function browserUploads(options: {
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

/**
 * Counts the unsent work of this user on this device: changes of teachings and of series, recordings, and listening if
 * it is kept with the account. Entries that need a person count too; listening that the server has rejected does not.
 */
export async function countWaiting(
  app: AppDatabase,
  uploads: UploadDatabase,
  userId: number | undefined,
): Promise<number> {
  const [entries, jobs, listening] = await Promise.all([
    readOutbox(app, userId),
    readUploads(uploads, userId),
    readUnsent(app, userId),
  ])
  return entries.length + jobs.filter(({ state }) => state !== 'done').length + listening.length
}

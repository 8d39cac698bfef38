import { appDatabase } from './database/app-database.ts'
import { uploadDatabase } from './database/upload-database.ts'
import { usesMemory } from './database/memory-fallback.ts'
import type { OutboxEvent } from './outbox/outbox-drain.ts'
import { browserOutbox, type OutboxSession } from './outbox/outbox-session.ts'
import { retryUntilDone } from './engine/sleep.ts'
import { browserListening, type ListeningSession } from './listening/listening-session.ts'
import { openTabChannel } from './engine/tab-channel.ts'
import { browserUploads } from './uploads/upload-browser.ts'
import { unblockUploads } from './uploads/upload-jobs.ts'
import { startUploads, type UploadQueue } from './uploads/upload-queue.ts'
import type { UploadJobEvent } from './uploads/upload-run-options.ts'
import { countWaiting } from './waiting.ts'

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

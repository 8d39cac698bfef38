import { uploadDatabase } from './database.ts'
import type { OutboxEvent } from './outbox/outbox-drain.ts'
import { browserOutbox, type OutboxSession } from './outbox/outbox-session.ts'
import { retryUntilDone } from './engine/sleep.ts'
import { browserUploads } from './uploads/upload-browser.ts'
import { signedInUploads } from './uploads/upload-jobs.ts'
import { startUploads, type UploadQueue } from './uploads/upload-queue.ts'
import type { UploadEvent } from './uploads/upload-run.ts'

/** What became of something that waited on this device, in whichever tab it was sent. */
export type WorkNews = { about: 'change'; event: OutboxEvent } | { about: 'upload'; event: UploadEvent }

/** Changes and recordings that wait on this device, sent by one tab for all. */
export interface DeviceQueues {
  readonly outbox: OutboxSession
  readonly uploads: UploadQueue
  /** Who is signed in on this page; what is theirs goes on, and nobody else's. */
  person(userId: number | undefined): void
  onNews(listener: (news: WorkNews) => void): () => void
}

let started: DeviceQueues | undefined

/** The one of this page, started at the first call. */
export const deviceQueues = (): DeviceQueues => (started ??= start())

function start(): DeviceQueues {
  let person: number | undefined
  const listeners = new Set<(news: WorkNews) => void>()
  const hear = (news: WorkNews) => {
    for (const listener of listeners) listener(news)
  }
  const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('device-work')
  tabs?.addEventListener('message', ({ data }: MessageEvent<WorkNews>) => hear(data))
  const tell = (news: WorkNews) => {
    hear(news)
    tabs?.postMessage(news)
  }
  const outbox = browserOutbox((event) => tell({ about: 'change', event }))
  const uploads = startUploads(
    browserUploads({ userId: () => person, onEvent: (event) => tell({ about: 'upload', event }) }),
  )
  return {
    outbox,
    uploads,
    person(userId) {
      outbox.person(userId)
      if (userId === person) return
      person = userId
      if (userId !== undefined)
        void retryUntilDone(
          () => signedInUploads(uploadDatabase(), userId, Date.now()),
          () => person === userId,
        ).then(() => uploads.retryNow())
    },
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

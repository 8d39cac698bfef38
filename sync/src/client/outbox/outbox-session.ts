import { appDatabase, type AppDatabase, type OutboxEntry } from '../database/app-database.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { startQueue, type SendingDeps } from '../engine/queue.ts'
import { onSignal, stopAll } from '../engine/signals.ts'
import { retryUntilDone, waitWhile } from '../engine/sleep.ts'
import { isSending, outboxQueue, retryNow, unblockEntries, type OutboxEvent } from './outbox-drain.ts'

/** Sends the outbox from the leader tab, as soon as that is possible. */
export interface OutboxSession {
  /** The signed-in user of this page: theirs is sent, a request of another's is aborted. */
  setUser(userId: number | undefined): void
  /** Sends without waiting for retries. Resolves when nothing more can be sent at the moment, or after half a minute. */
  sendNow(): Promise<void>
  stop(): void
}

/** The browser's part of a session; a test passes its own. */
export interface OutboxDeps extends SendingDeps {
  db: AppDatabase
  /** Calls back when the entries changed, and when the network is back or the page visible again. */
  onWake: (then: (why: 'entries' | 'network') => void) => () => void
  onEvent: (event: OutboxEvent) => void
}

export function startOutbox(deps: OutboxDeps): OutboxSession {
  const { db, transport } = deps
  let currentUser: number | undefined
  let stay = new AbortController()
  const options = { ...deps, userId: () => currentUser, signal: () => stay.signal }
  const { wake, stop } = startQueue(outboxQueue(db, transport, options), deps)
  const stopWake = deps.onWake((why) => {
    if (why === 'network') void retryNow(db, 'network').then(wake, wake)
    else wake()
  })

  return {
    setUser(userId) {
      if (userId === currentUser) return
      currentUser = userId
      stay.abort()
      stay = new AbortController()
      if (userId === undefined) return
      const unblock = () => unblockEntries(db, userId).then(() => retryNow(db, 'network'))
      void retryUntilDone(unblock, () => currentUser === userId).then(wake)
      wake()
    },
    async sendNow() {
      // An entry may have been refused between two sessions of the signed-in user.
      if (currentUser !== undefined) await unblockEntries(db, currentUser)
      await retryNow(db)
      wake()
      await waitWhile(() => isSending(db, options), patienceMs)
    },
    stop() {
      stop()
      stopWake()
    },
  }
}

const patienceMs = 30_000

/** The outbox session with the browser's own deps. */
export function browserOutbox(onEvent: (event: OutboxEvent) => void): OutboxSession {
  const db = appDatabase()
  return startOutbox({
    ...browserDeps('outbox', db),
    db,
    onEvent,
    onWake: (then) =>
      stopAll(
        whenEntriesChange(db, () => then('entries')),
        onSignal(() => then('network')),
      ),
  })
}

/** Calls back when entries were added, decided or brought forward, in whichever tab; returns the way to stop watching. */
export const whenEntriesChange = (db: AppDatabase, then: () => void): (() => void) =>
  watch(() => db.outbox.toArray(), whenOthers(stateOfEntry, then))

/** With the retry time: another tab may have brought it forward. */
const stateOfEntry = ({ mutationId, state, nextAttemptAt }: OutboxEntry) =>
  `${mutationId} ${state} ${nextAttemptAt}`

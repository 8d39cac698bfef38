import { browserTransport, type Transport } from '../../call/call.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { retryUntilDone, pause, sleep } from '../engine/sleep.ts'
import {
  drain,
  retryNow,
  nextToSend,
  unblockEntries,
  requeueInterrupted,
  type OutboxEvent,
} from './outbox-drain.ts'
import { watch } from '../engine/live.ts'

/** Sends the outbox from the leader tab, as soon as that is possible. */
export interface OutboxSession {
  /** The signed-in user of this page: theirs is sent, a request of another's is aborted. */
  setUser(userId: number | undefined): void
  /** Sends without waiting for retries. Resolves when nothing more can be sent at the moment, or after half a minute. */
  sendNow(): Promise<void>
  stop(): void
}

/** What a session needs of the browser; a test passes its own. */
export interface OutboxDeps {
  db: AppDatabase
  transport: Transport
  now: () => number
  random: () => number
  /** Runs `work` while this tab holds the leader lock; its end aborts the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Calls back when the entries changed, and when the network is back or the page visible again. */
  onWake: (then: (why: 'entries' | 'network') => void) => () => void
  /** Resolves after `ms`, or at once when `wake` settles. */
  pause: (ms: number, wake: Promise<void>) => Promise<void>
  onEvent: (event: OutboxEvent) => void
}

export function startOutbox(deps: OutboxDeps): OutboxSession {
  const { db, transport, now, random, onWake, onEvent } = deps
  let currentUser: number | undefined
  const { wake, woken } = sleep()
  let stay = new AbortController()
  const signal = () => stay.signal
  /** Entries may be in the state sending that are not: of a closed tab, or of this one after its database failed. */
  let isLeft = true
  const run = async () => {
    if (isLeft) await requeueInterrupted(db)
    isLeft = true
    const dueAt = await drain(db, transport, { now, random, userId: () => currentUser, signal, onEvent })
    isLeft = false
    return dueAt
  }

  const releaseLeaderLock = deps.withLeaderLock(async (signal) => {
    while (!signal.aborted) {
      const signalled = woken()
      const dueAt = await run().catch(() => now() + afterFaultMs)
      await deps.pause(dueAt === undefined ? Infinity : Math.max(0, dueAt - now()), signalled)
    }
  })
  const stopWake = onWake((why) => {
    if (why === 'network') void retryNow(db).then(wake, wake)
    else wake()
  })

  return {
    setUser(userId) {
      if (userId === currentUser) return
      currentUser = userId
      stay.abort()
      stay = new AbortController()
      if (userId === undefined) return
      // Also where no entry is blocked: a retry time stored before the clock was set back may be far away.
      const unblock = () => unblockEntries(db, userId).then(() => retryNow(db))
      void retryUntilDone(unblock, () => currentUser === userId).then(wake)
      wake()
    },
    async sendNow() {
      await retryNow(db)
      wake()
      await settled(db, { now, userId: () => currentUser })
    },
    stop() {
      releaseLeaderLock()
      stopWake()
      wake()
    },
  }
}

/** Before another attempt after the database failed (full, closed by an update). */
const afterFaultMs = 30_000

const patienceMs = 30_000

/** Resolves when no entry of the user is being sent or due; or after half a minute, as the leader tab may be frozen. */
async function settled(db: AppDatabase, when: Parameters<typeof nextToSend>[1]): Promise<void> {
  const isMoving = async () =>
    (await nextToSend(db, when)).next !== undefined ||
    (await db.outbox
      .filter(({ ownerUserId, state }) => ownerUserId === when.userId() && state === 'sending')
      .count()) > 0
  for (let waited = 0; waited < patienceMs && (await isMoving()); waited += 100)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The outbox session with the browser's own deps. */
export function browserOutbox(onEvent: (event: OutboxEvent) => void): OutboxSession {
  const db = appDatabase()
  return startOutbox({
    db,
    transport: browserTransport,
    now: () => Date.now(),
    random: () => Math.random(),
    onEvent,
    pause,
    withLeaderLock: (work) => withLeaderLock('outbox', db, work),
    onWake(then) {
      let before = ''
      const stopWatching = watch(
        () => db.outbox.toArray(),
        (all) => {
          // With the retry time: another tab may have brought it forward.
          const state = all
            .map(({ mutationId, state: at, nextAttemptAt }) => `${mutationId} ${at} ${nextAttemptAt}`)
            .join()
          if (state !== before) then('entries')
          before = state
        },
      )
      const retry = () => then('network')
      const visible = () => document.visibilityState === 'visible' && retry()
      window.addEventListener('online', retry)
      document.addEventListener('visibilitychange', visible)
      return () => {
        stopWatching()
        window.removeEventListener('online', retry)
        document.removeEventListener('visibilitychange', visible)
      }
    },
  })
}

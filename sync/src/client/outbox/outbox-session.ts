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

/** Sends what waits, in one tab of the browser, as soon as that is possible. */
export interface OutboxSession {
  /** Who is signed in on this page; what is theirs goes on, what is another's is broken off. */
  setUser(userId: number | undefined): void
  /** Everything now: the person asked. Resolves when nothing more can be sent at the moment, or after half a minute. */
  sendNow(): Promise<void>
  stop(): void
}

/** What of the browser a session stands on; a test hands in its own. */
export interface OutboxDeps {
  db: AppDatabase
  transport: Transport
  now: () => number
  random: () => number
  /** Runs `work` while this tab is the one that sends; ends it by the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Calls back when there are other entries than before, and when the line or the person comes back. */
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
  /** Something may stand as under way that is not: of a tab that is gone, or of this one, whose database failed. */
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
      // Whoever opens the page or signs in is back; and a time noted before the clock was set back may be far away.
      const goOn = () => unblockEntries(db, userId).then(() => retryNow(db))
      void retryUntilDone(goOn, () => currentUser === userId).then(wake)
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

/** The device's own database failed (full, closed by an update): that is tried again after a while. */
const afterFaultMs = 30_000

const patienceMs = 30_000

/** Resolves when nothing of the person is under way or could be; or after a while, as the tab that sends may sleep. */
async function settled(db: AppDatabase, when: Parameters<typeof nextToSend>[1]): Promise<void> {
  const isMoving = async () =>
    (await nextToSend(db, when)).next !== undefined ||
    (await db.outbox
      .filter(({ ownerUserId, state }) => ownerUserId === when.userId() && state === 'sending')
      .count()) > 0
  for (let waited = 0; waited < patienceMs && (await isMoving()); waited += 100)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The session of a page in a browser. */
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
          // Its time too: another tab may have brought it forward.
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

import { sync } from '@fellowship/schema/sync/sync.contract'
import { teachingStaleMs, visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import type { SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import { NetworkError, sentenceOfError } from '../../call/call-error.ts'
import { browserTransport, type Transport } from '../../call/call.ts'
import { appDatabase, hasStorage, OutdatedPage, reportTrouble, type AppDatabase } from '../database.ts'
import { pull } from './pull.ts'
import { readSyncState } from './sync-state.ts'

/** What a screen may say about sync; when the device last heard from the server is in its stored state. */
export interface SyncStatus {
  readonly syncing: boolean
  /** Why the last attempt failed; undefined after one that did not. */
  readonly failure: string | undefined
  /** The last attempt had no answer at all: what one calls offline, whatever the browser says. */
  readonly unreachable: boolean
  /** When the last attempt ended, if it failed, in epoch milliseconds; a later `syncedAt` outdates it. */
  readonly failedAt: number | undefined
}

const calm = { failure: undefined, unreachable: false, failedAt: undefined } as const

/** Keeps this page's device up to date: at start, when the line or the person comes back, and on the server's hint. */
export interface SyncSession {
  /** Asks the server anew; what was committed before the call is here afterwards. `verify` compares digests too, and heals a difference. */
  pull(options?: { verify?: boolean }): Promise<void>
  /** Pulls if the device has not heard from the server for `ageMs`. */
  pullIfOlder(ageMs: number): Promise<void>
  status(): SyncStatus
  onStatus(listener: () => void): () => void
  /** A snapshot on its way into the database, so that a first visit need not wait for the writing. */
  onSnapshot(listener: (page: SnapshotPage) => void): () => void
  stop(): void
}

/** What of the browser a session stands on; a test hands in its own. */
export interface SyncDeps {
  db: AppDatabase
  transport: Transport
  now: () => number
  /** Calls back on each of the named events; returns the function that ends it. */
  listen: (event: 'online' | 'visible' | 'hint', then: () => void) => () => void
  /** Calls back once after `ms`, unless nobody looks at the page then; returns the function that calls it off. */
  later: (ms: number, then: () => void) => () => void
  onHeal: () => void
}

export function startSync(deps: SyncDeps = browserDeps()): SyncSession {
  const { db, transport, now, listen, later, onHeal } = deps
  const statusListeners = new Set<() => void>()
  const snapshotListeners = new Set<(page: SnapshotPage) => void>()
  let current: SyncStatus = { syncing: false, ...calm }
  let failures = 0
  let callOffRetry = () => {}
  let running: Promise<void> | undefined
  let queued: { promise: Promise<void>; verify: boolean } | undefined

  const tell = (status: SyncStatus) => {
    current = status
    for (const listener of statusListeners) listener()
  }

  function begin(verify: boolean): Promise<void> {
    const mine = run(verify).finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  async function run(verify: boolean): Promise<void> {
    callOffRetry()
    tell({ ...current, syncing: true })
    try {
      await pull(db, transport, {
        now,
        verify: verify || (await isCheckDue()),
        onHeal,
        onSnapshot: (page) => snapshotListeners.forEach((listener) => listener(page)),
      })
      failures = 0
      tell({ syncing: false, ...calm })
    } catch (error) {
      if (!(await hasStorage(db))) {
        // The page lives from the line alone: there is no copy that could be behind.
        tell({ syncing: false, ...calm })
        throw error
      }
      if (error instanceof OutdatedPage) reportTrouble('outdated')
      // No event tells that a server is back, or that a line without signal has one again.
      else callOffRetry = later(retryAfterMs(failures), () => quietly(session.pull()))
      failures += 1
      const unreachable = error instanceof NetworkError
      tell({ syncing: false, failure: sentenceOfError(error), unreachable, failedAt: now() })
      throw error
    }
  }

  /** The digest is compared once a day besides, for what no rule foresaw. */
  async function isCheckDue(): Promise<boolean> {
    const { cursor, verifiedAt } = await readSyncState(db)
    return cursor !== undefined && isLongAgo(verifiedAt, dayMs)
  }

  /** Also of a moment still to come: the device's clock was set back since, and nobody knows how long ago it was. */
  function isLongAgo(then: number | undefined, ms: number): boolean {
    const age = now() - (then ?? 0)
    return age >= ms || age < 0
  }

  const session: SyncSession = {
    pull({ verify = false } = {}) {
      if (!running) return begin(verify)
      // The pull under way may have asked before what the caller wants to know of: one more follows it.
      queued ??= {
        verify: false,
        promise: running
          .catch(() => {})
          .then(() => {
            const wanted = queued?.verify ?? false
            queued = undefined
            return begin(wanted)
          }),
      }
      queued.verify ||= verify
      return queued.promise
    },
    async pullIfOlder(ageMs) {
      if (running) return running
      const { syncedAt } = await readSyncState(db)
      if (isLongAgo(syncedAt, ageMs)) await session.pull()
    },
    status: () => current,
    onStatus(listener) {
      statusListeners.add(listener)
      return () => statusListeners.delete(listener)
    },
    onSnapshot(listener) {
      snapshotListeners.add(listener)
      return () => snapshotListeners.delete(listener)
    },
    stop() {
      callOffRetry()
      for (const stop of stops) stop()
    },
  }

  // In the background a failure is told by the status, and the next occasion is the retry.
  const quietly = (work: Promise<void>) => void work.catch(() => {})
  const stops = [
    listen('online', () => quietly(session.pull())),
    listen('visible', () => quietly(session.pullIfOlder(visibleAgainMs))),
    listen('hint', () => quietly(session.pull())),
  ]
  quietly(session.pullIfOlder(0))
  return session
}

/** Waiting after failures in a row: doubling from fifteen seconds, five minutes at most. */
const retryAfterMs = (failures: number): number => Math.min(15_000 * 2 ** failures, 5 * 60_000)

const dayMs = 24 * 60 * 60_000

let started: SyncSession | undefined

/** The one session of this page, started at the first call. */
export const syncSession = (): SyncSession => (started ??= startSync())

export { teachingStaleMs }

function browserDeps(): SyncDeps {
  return {
    db: appDatabase(),
    transport: browserTransport,
    now: () => Date.now(),
    onHeal: () => console.warn('The device differed from the server and was brought up by a snapshot.'),
    later(ms, then) {
      const timer = setTimeout(() => document.visibilityState === 'visible' && then(), ms)
      return () => clearTimeout(timer)
    },
    listen(event, then) {
      if (event === 'hint') return listenForHints(then)
      const [target, name] = event === 'online' ? [window, 'online'] : [document, 'visibilitychange']
      const handle = () => {
        if (event === 'online' || document.visibilityState === 'visible') then()
      }
      target.addEventListener(name, handle)
      return () => target.removeEventListener(name, handle)
    },
  }
}

/**
 * One tab of the browser holds the line for hints; when it closes, the next takes over. The others hear of a change
 * through the database itself, which every tab watches.
 */
function listenForHints(then: () => void): () => void {
  const over = new AbortController()
  const hold = () =>
    new Promise<void>((resolve) => {
      let source: EventSource
      let retry: ReturnType<typeof setTimeout> | undefined
      let broken = false
      const connect = () => {
        source = new EventSource(sync.events.path)
        source.addEventListener('changed', then)
        source.addEventListener('open', () => {
          // What changed while the line was down was not hinted at.
          if (broken) then()
          broken = false
        })
        source.addEventListener('error', () => {
          // The line may be gone: the pull finds out, and the screen says so.
          if (!broken) then()
          broken = true
          // The browser tries again by itself, but not after an answer such as 502.
          if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, hintRetryMs)
        })
      }
      connect()
      over.signal.addEventListener('abort', () => {
        clearTimeout(retry)
        source.close()
        resolve()
      })
    })
  if (typeof navigator.locks === 'undefined') void hold()
  else navigator.locks.request('sync-hints', { signal: over.signal }, hold).catch(() => {})
  return () => over.abort()
}

const hintRetryMs = 30_000

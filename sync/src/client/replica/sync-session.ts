import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import type { SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import { NetworkError, sentenceOfError } from '../../call/call-error.ts'
import { browserTransport, type Transport } from '../../call/call.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { OutdatedPage, reportTrouble } from '../database/database-trouble.ts'
import { afterFailure, dueAt, noBackoff, type Backoff } from '../engine/backoff.ts'
import { pageRequestRate, type RequestRate } from '../engine/rate.ts'
import { onSignal } from '../engine/signals.ts'
import { pull } from './pull.ts'
import { listenForHints } from './sync-hints.ts'
import { readSyncState } from './sync-state.ts'

/** What a screen may say about sync; when the device last heard from the server is in its stored state. */
export interface SyncStatus {
  readonly syncing: boolean
  /** Why the last attempt failed; undefined after one that did not. */
  readonly failure: string | undefined
  /** The last attempt had no answer at all: offline, whatever the browser says. */
  readonly unreachable: boolean
  /** When the last attempt ended, if it failed, in epoch milliseconds; a later `syncedAt` outdates it. */
  readonly failedAt: number | undefined
}

/** Keeps the replica of this device up to date: at start, when the network or the person comes back, and on the server's hint. */
export interface SyncSession {
  /**
   * Pulls from the server; what was committed there before the call is in the replica afterwards. `verify` compares
   * digests too, and heals a difference.
   */
  pull(options?: { verify?: boolean }): Promise<void>
  /** Pulls if the device has not heard from the server for `ageMs`. */
  pullIfOlder(ageMs: number): Promise<void>
  status(): SyncStatus
  onStatus(listener: () => void): () => void
  /** A snapshot on its way into the database, so that a first visit need not wait for the writing. */
  onSnapshot(listener: (page: SnapshotPage) => void): () => void
  stop(): void
}

/** What a session needs of the browser; a test passes its own. */
export interface SyncDeps {
  db: AppDatabase
  transport: Transport
  now: () => number
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  rate: RequestRate
  /** Calls back on each of the named events; returns the function that ends it. */
  listen: (event: 'online' | 'visible' | 'hint', then: () => void) => () => void
  /** Calls back once after `ms`, unless the page is hidden then; returns the function that cancels it. */
  later: (ms: number, then: () => void) => () => void
  onHeal: () => void
}

/** Starts a session: pulls at once and then at every event that `deps.listen` names. */
export function startSync(deps: SyncDeps = browserDeps()): SyncSession {
  const { db, now, listen } = deps
  const status = observable<SyncStatus>({ syncing: false, ...noFailure })
  const snapshots = observable<SnapshotPage | undefined>(undefined)
  const runPull = pullOnce(deps, status, snapshots.set, () => inBackground(pulls.request(false)))
  const pulls = oneAtATime(runPull.run)

  const session: SyncSession = {
    pull: ({ verify = false } = {}) => pulls.request(verify),
    async pullIfOlder(ageMs) {
      const running = pulls.running()
      if (running) return running
      const { syncedAt } = await readSyncState(db)
      if (isLongAgo(syncedAt, ageMs, now())) await session.pull()
    },
    status: status.get,
    onStatus: (listener) => status.listen(listener),
    onSnapshot: (listener) => snapshots.listen((page) => page && listener(page)),
    stop() {
      runPull.cancelRetry()
      for (const stop of stops) stop()
    },
  }

  const stops = [
    listen('online', () => inBackground(session.pull())),
    listen('visible', () => inBackground(session.pullIfOlder(visibleAgainMs))),
    listen('hint', () => inBackground(session.pull())),
  ]
  inBackground(session.pullIfOlder(0))
  return session
}

let started: SyncSession | undefined

/** The one session of this page, started at the first call. */
export const syncSession = (): SyncSession => (started ??= startSync())

const noFailure = { failure: undefined, unreachable: false, failedAt: undefined } as const

/** The status reports the failure, and the next event is the retry. */
const inBackground = (work: Promise<void>) => void work.catch(() => {})

/** One pull with its status, and the retry that follows a failure. */
function pullOnce(
  { db, transport, now, random, rate, later, onHeal }: SyncDeps,
  status: Observable<SyncStatus>,
  onSnapshot: (page: SnapshotPage) => void,
  retry: () => void,
) {
  let backoff: Backoff = noBackoff
  const limited = rate.transportOf(rateKey, transport)
  let cancelRetry = () => {}

  async function run(verify: boolean): Promise<void> {
    cancelRetry()
    status.set({ ...status.get(), syncing: true })
    try {
      await pull(db, limited, { now, verify: verify || (await isCheckDue(db, now())), onHeal, onSnapshot })
      backoff = noBackoff
      rate.forget(rateKey)
      status.set({ syncing: false, ...noFailure })
    } catch (error) {
      if (error instanceof OutdatedPage) reportTrouble('outdated')
      // No browser event says that the server is back, or that a connection without signal has one again.
      else {
        backoff = afterFailure(backoff, error, now(), random())
        cancelRetry = later(dueAt(backoff, now()) - now(), retry)
      }
      const unreachable = error instanceof NetworkError
      status.set({ syncing: false, failure: sentenceOfError(error), unreachable, failedAt: now() })
      throw error
    }
  }

  return { run, cancelRetry: () => cancelRetry() }
}

/**
 * Runs pulls one after the other. A pull under way may have asked before what a new caller wants to know of, so one
 * more follows it, for all who ask meanwhile.
 */
function oneAtATime(run: (verify: boolean) => Promise<void>) {
  let running: Promise<void> | undefined
  let queued: { promise: Promise<void>; verify: boolean } | undefined

  function begin(verify: boolean): Promise<void> {
    const mine = run(verify).finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  function beginQueued(): Promise<void> {
    const verify = queued?.verify ?? false
    queued = undefined
    return begin(verify)
  }

  return {
    running: () => running,
    request(verify: boolean): Promise<void> {
      if (!running) return begin(verify)
      queued ??= { verify: false, promise: running.catch(() => {}).then(beginQueued) }
      queued.verify ||= verify
      return queued.promise
    },
  }
}

interface Observable<T> {
  get: () => T
  set: (value: T) => void
  /** Calls back with every later value; returns the way to stop listening. */
  listen: (listener: (value: T) => void) => () => void
}

function observable<T>(initial: T): Observable<T> {
  const listeners = new Set<(value: T) => void>()
  let current = initial
  return {
    get: () => current,
    set(value) {
      current = value
      for (const listener of listeners) listener(value)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The digest is compared once a day, for differences that no rule explains. */
async function isCheckDue(db: AppDatabase, now: number): Promise<boolean> {
  const { cursor, verifiedAt } = await readSyncState(db)
  return cursor !== undefined && isLongAgo(verifiedAt, dayMs, now)
}

/** Also of a moment still to come: the device's clock was set back since, and nobody knows how long ago it was. */
function isLongAgo(then: number | undefined, ms: number, now: number): boolean {
  const age = now - (then ?? 0)
  return age >= ms || age < 0
}

/** The pull is one entry to the count of requests. */
const rateKey = 'sync'

const dayMs = 24 * 60 * 60_000

function browserDeps(): SyncDeps {
  return {
    db: appDatabase(),
    transport: browserTransport,
    now: () => Date.now(),
    random: Math.random,
    rate: pageRequestRate,
    onHeal: () => console.warn('The replica differed from the server and was replaced by a snapshot.'),
    later(ms, then) {
      const timer = setTimeout(() => document.visibilityState === 'visible' && then(), ms)
      return () => clearTimeout(timer)
    },
    listen(event, then) {
      if (event === 'hint') return listenForHints(then)
      return onSignal((signal) => signal === event && then())
    },
  }
}

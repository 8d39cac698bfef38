import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import type { SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import { NetworkError, sentenceOfError, TooManyRequests } from '../../call/call-error.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { OutdatedPage } from '../database/database-trouble.ts'
import { afterFailure, dueAt, noBackoff, type Backoff } from '../engine/backoff.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { startQueue, type Queue, type SendingDeps } from '../engine/queue.ts'
import { onSignal, stopAll } from '../engine/signals.ts'
import { pauseWhileHidden } from '../engine/pause-while-hidden.ts'
import { pull } from './pull.ts'
import { listenForHints } from './sync-hints.ts'
import { readSyncState } from './sync-state.ts'

/** The status of sync for a screen; when the device last heard from the server is in its stored state. */
export interface SyncStatus {
  readonly syncing: boolean
  /** Why the last attempt failed; undefined after one that did not. */
  readonly failure: string | undefined
  /** Whether the last attempt got no answer; then the device is offline even if the browser reports otherwise. */
  readonly unreachable: boolean
  /** When the last attempt ended, if it failed, in epoch milliseconds; a later `syncedAt` outdates it. */
  readonly failedAt: number | undefined
}

/** Keeps the replica of this device up to date: at start, when the network or the person comes back, and on the server's hint. */
export interface SyncSession {
  /**
   * Pulls from the server at a person's request; changes committed there before the call are in the replica afterwards.
   * `verify` compares digests too, and heals a difference.
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

/** The browser's part of a session; a test passes its own. */
export interface SyncDeps extends SendingDeps {
  db: AppDatabase
  /** Calls back on each of the named events; returns the function that ends it. */
  listen: (event: 'online' | 'visible' | 'hint', then: () => void) => () => void
  onHeal: () => void
}

/** Starts a session: pulls at once and then at every event that `deps.listen` names. */
export function startSync(deps: SyncDeps = pageDeps()): SyncSession {
  const { db, now, listen } = deps
  const status = observable<SyncStatus>({ syncing: false, ...noFailure })
  const snapshots = observable<SnapshotPage | undefined>(undefined)
  const { queue, asked, ask } = pullQueue(deps, status, snapshots.set)
  const { wake, stop } = startQueue(queue, deps)

  const pullUnasked = () => {
    const { ended } = ask({ verify: false, automatic: true })
    wake()
    return ended
  }

  const session: SyncSession = {
    pull({ verify = false } = {}) {
      const { ended } = ask({ verify, automatic: false })
      wake()
      return ended
    },
    async pullIfOlder(ageMs) {
      const before = asked()
      if (before) return before.ended
      const { syncedAt } = await readSyncState(db)
      if (isLongAgo(syncedAt, ageMs, now())) await pullUnasked()
    },
    status: status.get,
    onStatus: (listener) => status.listen(listener),
    onSnapshot: (listener) => snapshots.listen((page) => page && listener(page)),
    stop: () => stopAll(stop, ...ends)(),
  }

  // The status reports a failure, and the queue retries.
  const pullIfOlder = (ageMs: number) => void session.pullIfOlder(ageMs).catch(() => {})
  const ends = [
    listen('online', () => void pullUnasked()),
    listen('visible', () => pullIfOlder(visibleAgainMs)),
    listen('hint', () => void pullUnasked()),
  ]
  pullIfOlder(0)
  return session
}

let started: SyncSession | undefined

/** The one session of this page, started at the first call. */
export const syncSession = (): SyncSession => (started ??= startSync())

const noFailure = { failure: undefined, unreachable: false, failedAt: undefined } as const

const failureOf = (error: unknown, failedAt: number) => ({
  failure: sentenceOfError(error),
  unreachable: error instanceof NetworkError,
  failedAt,
})

/** A pull that is waiting or under way, for all of its callers. */
interface PullEntry {
  verify: boolean
  /** No person asked for it. */
  automatic: boolean
  /** Rejects with the error of the pull. */
  ended: Promise<void>
  end: (result: Promise<void>) => void
}

const unasked = { verify: false, automatic: true }

function pullEntry({ verify, automatic }: Pick<PullEntry, 'verify' | 'automatic'>): PullEntry {
  let end: PullEntry['end'] = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  // Also without a caller that waits for it.
  ended.catch(() => {})
  return { verify, automatic, ended, end }
}

/**
 * Runs pulls one after the other. If a caller arrives when a pull is under way, which may miss its change, one more pull
 * follows for all of these callers; a failed pull is repeated after the backoff.
 */
function pullQueue(
  { db, transport, now, random, rate, onHeal }: SyncDeps,
  status: Observable<SyncStatus>,
  onSnapshot: (page: SnapshotPage) => void,
) {
  let backoff: Backoff = noBackoff
  let running: PullEntry | undefined
  let waiting: PullEntry | undefined

  async function pullOnce({ verify, automatic }: PullEntry): Promise<void> {
    status.set({ ...status.get(), syncing: true })
    const counted = rate.transportOf(rateKey, transport, { automatic })
    try {
      await pull(db, counted, { now, verify: verify || (await isCheckDue(db, now())), onHeal, onSnapshot })
      backoff = noBackoff
      counted.forget()
      status.set({ syncing: false, ...noFailure })
    } catch (error) {
      backoff = error instanceof OutdatedPage ? noBackoff : afterFailure(backoff, error, now(), random())
      status.set({ ...becameOf(error), syncing: false })
      throw error
    }
  }

  /** If no request was sent, the result of the last one stands, also that of another page. */
  function becameOf(error: unknown) {
    const { failedAt } = status.get()
    if (!(error instanceof TooManyRequests)) return failureOf(error, now())
    if (failedAt !== undefined || error.own === undefined) return status.get()
    return failureOf(error.own === 'unanswered' ? new NetworkError(error) : error, now())
  }

  const queue: Queue<PullEntry> = {
    width: 1,
    laneOf: () => 'pull',
    async next() {
      if (waiting || backoff === noBackoff) return { entry: waiting }
      // No browser event fires when the server is back, or when a lost signal returns.
      const at = dueAt(backoff, now())
      return at > now() ? { dueAt: at } : { entry: pullEntry(unasked) }
    },
    async run(entry) {
      running = entry
      if (waiting === entry) waiting = undefined
      entry.end(pullOnce(entry).finally(() => (running = undefined)))
      await entry.ended.catch(() => {})
    },
  }
  return {
    queue,
    asked: () => running ?? waiting,
    ask: ({ verify, automatic }: typeof unasked): PullEntry => {
      waiting ??= pullEntry(unasked)
      waiting.verify ||= verify
      waiting.automatic &&= automatic
      return waiting
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

/** True also if `then` is in the future: the device's clock was set back since, so the age is unknown. */
function isLongAgo(then: number | undefined, ms: number, now: number): boolean {
  const age = now - (then ?? 0)
  return age >= ms || age < 0
}

/** The pull is one entry to the count of requests. */
const rateKey = 'sync'

const dayMs = 24 * 60 * 60_000

function pageDeps(): SyncDeps {
  const db = appDatabase()
  return {
    ...browserDeps('sync', db),
    // A person's request must not wait for a leader tab that may be frozen; a pull is safe in several tabs at once.
    withLeaderLock: withoutLeaderLock,
    pause: pauseWhileHidden,
    db,
    onHeal: () => console.warn('The replica differed from the server and was replaced by a snapshot.'),
    listen(event, then) {
      // Rows that were deleted on this device are fetched again.
      if (event === 'hint') return stopAll(listenForHints(then), db.onCleared(then))
      return onSignal((signal) => signal === event && then())
    },
  }
}

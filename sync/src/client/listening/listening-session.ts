import { listening } from '@fellowship/schema/listening/listening.contract'
import type { ListeningMoment, ListeningPosition } from '@fellowship/schema/listening/listening-position'
import { call } from '../../call/call.ts'
import { appDatabase, type AppDatabase, type UnsentListening } from '../database/app-database.ts'
import { afterFailure, dueAt, noBackoff } from '../engine/backoff.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { startQueue, type Next, type Queue, type SendingDeps } from '../engine/queue.ts'
import { TooManyRequests } from '../../call/call-error.ts'
import { described, withTimeLimit, verdictOf } from '../engine/request.ts'
import { onSignal, stopAll } from '../engine/signals.ts'
import { retryUntilDone, waitWhile } from '../engine/sleep.ts'
import { onListeningHint, renewEventStream } from '../replica/sync-hints.ts'
import {
  endSession,
  readAccount,
  readAccounts,
  readOwner,
  readUnsent,
  startSession,
  writeAccount,
  type ListeningAccount,
} from './listening-accounts.ts'
import { acting, exchange } from './listening-exchange.ts'

/** Syncs the listening of the signed-in user with the account from the leader tab, if the user has turned that on. */
export interface ListeningSession {
  /** The signed-in user of this page; aborts a request of another one. Resolves when the user's listening is shown. */
  setUser(userId: number | undefined): Promise<void>
  /** Asks and sends now. Resolves when that is done or has failed, or after 15 seconds. */
  syncNow(): Promise<void>
  /**
   * Sends the place at which the page is left, by a request that outlives it; nothing waits for its answer. The next page sends
   * it again, with all else. `known` is the place before it.
   */
  sendLeft(uid: string, moment: ListeningMoment, known?: ListeningPosition): void
  stop(): void
}

/** The browser's part of a session; a test passes its own. */
export interface ListeningDeps extends SendingDeps {
  db: AppDatabase
  /**
   * Calls back when there may be something to send, when the network is back or the page visible again, and when another device
   * has changed the listening: with its session, or without one if hints may have been lost.
   */
  onWake: (then: (why: WakeReason, sender?: string) => void) => () => void
  /** The session has ended on the server. */
  onSignedOut: () => void
}

type WakeReason = 'entries' | 'network' | 'hint'

/** How long the server is not asked without a hint, if nothing is to be sent. */
const askEveryMs = 5 * 60_000

export function startListening(deps: ListeningDeps): ListeningSession {
  const { db } = deps
  let currentUser: number | undefined
  let isKnown = false
  let stay = new AbortController()
  let stopAccount = () => {}
  /** Of the current user; a page that ends has no time to read it. */
  let account: ListeningAccount | undefined
  const { wake, stop } = startQueue(
    listeningQueue(deps, { userId: () => currentUser, stay: () => stay.signal }),
    deps,
  )
  const stopWake = deps.onWake((why, sender) => {
    if (why !== 'entries' && currentUser !== undefined) void askNow(db, currentUser, sender).then(wake, wake)
    else wake()
  })
  const showUser = async (userId: number | undefined) => {
    await retryUntilDone(
      () => (userId === undefined ? endSession(db) : startSession(db, userId)),
      () => currentUser === userId,
    )
    if (currentUser === userId) wake()
  }
  // Its state of the account may be gone with its rows: the server has to be asked.
  const stopCleared = db.onCleared(() => {
    if (isKnown) void showUser(currentUser)
  })
  return {
    async setUser(userId) {
      if (isKnown && userId === currentUser) return
      const isOther = userId !== currentUser
      isKnown = true
      currentUser = userId
      stopAccount()
      account = undefined
      stay.abort()
      stay = new AbortController()
      // The server hints to the user whose session opened the stream.
      if (isOther) renewEventStream()
      await showUser(userId)
      if (currentUser !== userId || userId === undefined) return
      stopAccount = watch(
        () => readAccount(db, userId),
        (now) => (account = now),
      )
    },
    sendLeft(uid, { seconds, duration, at }, known) {
      if (currentUser === undefined || !account?.on || (known && known.listenedAt > at)) return
      const age = Math.max(0, deps.now() - at)
      const row = { uid, seconds, duration, listenedAt: { age }, earlier: [] }
      const event = { kind: 'position', row, ...(known && { after: known.listenedAt }) }
      const body = { sender: account.session, events: [event] }
      const input = { body, headers: acting(currentUser), keepalive: true }
      call(listening.send, input, deps.transport).catch(() => undefined)
    },
    async syncNow() {
      const userId = currentUser
      if (userId === undefined) return
      await askNow(db, userId)
      wake()
      await waitWhile(() => isAsking(db, userId), patienceMs)
    },
    stop() {
      stop()
      stopAccount()
      stopCleared()
      stopWake()
      stay.abort()
    },
  }
}

/** The session with the browser's own deps. */
export function browserListening(onSignedOut: () => void): ListeningSession {
  const db = appDatabase()
  return startListening({
    ...browserDeps('listening', db),
    db,
    onSignedOut,
    onWake(then) {
      return stopAll(
        watch(
          async () => readUnsent(db, await readOwner(db)),
          whenOthers(stateOfMark, () => then('entries')),
        ),
        watch(
          () => readAccounts(db),
          whenOthers(stateOfAccount, () => then('entries')),
        ),
        onSignal(() => then('network')),
        onListeningHint((sender) => then('hint', sender)),
      )
    },
  })
}

const stateOfMark = ({ kind, key, nonce }: UnsentListening) => `${kind} ${key} ${nonce}`
const stateOfAccount = ({ key, value }: { key: string; value: ListeningAccount }) =>
  `${key} ${value.session} ${value.on} ${value.askAt} ${value.nextAttemptAt}`

const patienceMs = 15_000

/** A round for one user in one session. */
interface Round {
  userId: number
  session: string
}

function listeningQueue(
  deps: ListeningDeps,
  { userId, stay }: { userId: () => number | undefined; stay: () => AbortSignal },
): Queue<Round> {
  return {
    width: 1,
    laneOf: () => 'round',
    next: async (busy) => (busy.size > 0 ? {} : nextRound(deps, userId())),
    run: (round, signal) => run(deps, round, [signal, stay()]),
  }
}

async function nextRound({ db, now }: ListeningDeps, userId: number | undefined): Promise<Next<Round>> {
  const account = userId === undefined ? undefined : await readAccount(db, userId)
  if (userId === undefined || !account) return {}
  const at = Math.max(await wantedAt(db, { userId, account, now: now() }), dueAt(account, now()))
  return at <= now() ? { entry: { userId, session: account.session } } : { dueAt: at }
}

/**
 * When the server is asked next. Places that change every few seconds during playback are sent twice a minute; the place of a
 * pause, choices and notes are sent at once.
 */
async function wantedAt(
  db: AppDatabase,
  { userId, account, now }: { userId: number; account: ListeningAccount; now: number },
): Promise<number> {
  // Far ahead: the clock was set back since.
  const askAt = account.askAt > now + askEveryMs ? 0 : account.askAt
  const unsent = await readUnsent(db, userId)
  if (unsent.length === 0) return askAt
  const isPlaying = unsent.every(({ kind, atOnce }) => kind === 'position' && !atOnce)
  const { syncedAt = 0 } = account
  return Math.min(askAt, syncedAt > now ? 0 : syncedAt + (isPlaying ? placesEveryMs : choicesEveryMs))
}

const placesEveryMs = 30_000
const choicesEveryMs = 1_000

async function run(
  { db, transport, now, random, rate, onSignedOut }: ListeningDeps,
  round: Round,
  outer: readonly AbortSignal[],
): Promise<void> {
  const counted = rate.transportOf(`listening ${round.userId}`, transport)
  try {
    await withTimeLimit(
      ({ signal, touch }) =>
        exchange({
          ...round,
          db,
          now,
          signal,
          transport: counted,
          onProgress() {
            touch()
            counted.forget()
          },
        }),
      { outer },
    )
  } catch (error) {
    // This page has aborted it: no failed attempt.
    if (error instanceof DOMException && error.name === 'AbortError') return
    await settle(db, round, (account) => ({
      ...account,
      ...afterFailure(account, error, now(), random()),
      // The rate limit stopped the request: an earlier failure stands.
      ...(!(error instanceof TooManyRequests) && {
        lastError: described(error),
      }),
    }))
    if (verdictOf(error) === 'sign in') onSignedOut()
    return
  }
  await settle(db, round, (account) => {
    const { lastError: _, ...others } = account
    return { ...others, ...noBackoff, syncedAt: now(), askAt: now() + askEveryMs }
  })
}

/** Asks without a pause, also after a failure; not if this device's own session is the sender of the hint. */
const askNow = (db: AppDatabase, userId: number, sender?: string): Promise<void> =>
  db.transaction('rw', db.meta, async () => {
    const account = await readAccount(db, userId)
    if (account && account.session !== sender)
      await writeAccount(db, userId, { ...account, ...noBackoff, askAt: 0 })
  })

/** Whether the server is still to be asked, and no attempt has failed. */
async function isAsking(db: AppDatabase, userId: number): Promise<boolean> {
  const account = await readAccount(db, userId)
  return account !== undefined && account.askAt === 0 && account.attempts === 0
}

function settle(
  db: AppDatabase,
  { userId, session }: Round,
  change: (account: ListeningAccount) => ListeningAccount,
): Promise<void> {
  return db.transaction('rw', db.meta, async () => {
    const account = await readAccount(db, userId)
    if (account?.session === session) await writeAccount(db, userId, change(account))
  })
}

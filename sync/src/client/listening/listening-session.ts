import { CallError, sentenceOfError } from '../../call/call-error.ts'
import { appDatabase, type AppDatabase, type UnsentListening } from '../database/app-database.ts'
import { afterFailure, dueAt, noBackoff } from '../engine/backoff.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { startQueue, type Next, type Queue, type SendingDeps } from '../engine/queue.ts'
import { TooManyRequests } from '../engine/rate.ts'
import { withTimeLimit } from '../engine/request.ts'
import { onSignal } from '../engine/signals.ts'
import { retryUntilDone } from '../engine/sleep.ts'
import { verdictOf } from '../engine/verdict.ts'
import { exchange } from './listening-exchange.ts'
import {
  readAccount,
  readAccounts,
  readOwner,
  writeAccount,
  type ListeningAccount,
} from './listening-owner.ts'
import { startSession } from './listening-people.ts'

/** Keeps the signed-in person's listening with their account, from the leader tab, where they have turned that on. */
export interface ListeningSession {
  /** The signed-in user of this page; a request of another's is aborted. Resolves when their listening is shown. */
  setUser(userId: number | undefined): Promise<void>
  /** Asks and sends now. Resolves when that is done or has failed, or after 15 seconds. */
  syncNow(): Promise<void>
  stop(): void
}

/** What a session needs of the browser; a test passes its own. */
export interface ListeningDeps extends SendingDeps {
  db: AppDatabase
  /** Calls back when there is something to send or to ask, and when the network is back or the page visible again. */
  onWake: (then: (why: 'entries' | 'network') => void) => () => void
  /** The server does not know the session any more. */
  onSignedOut: () => void
}

/** How long the server is not asked where nothing is to be sent. */
const askEveryMs = 5 * 60_000

export function startListening(deps: ListeningDeps): ListeningSession {
  const { db } = deps
  let currentUser: number | undefined
  let stay = new AbortController()
  const { wake, stop } = startQueue(
    listeningQueue(deps, { userId: () => currentUser, stay: () => stay.signal }),
    deps,
  )
  const stopWake = deps.onWake((why) => {
    if (why === 'network' && currentUser !== undefined) void askNow(db, currentUser).then(wake, wake)
    else wake()
  })
  return {
    async setUser(userId) {
      if (userId === currentUser) return
      currentUser = userId
      stay.abort()
      stay = new AbortController()
      if (userId === undefined) return
      await retryUntilDone(
        () => startSession(db, userId),
        () => currentUser === userId,
      )
      wake()
    },
    async syncNow() {
      const userId = currentUser
      if (userId === undefined) return
      await askNow(db, userId)
      wake()
      // The leader may be another tab, and frozen.
      for (let waited = 0; waited < patienceMs && (await isAsking(db, userId)); waited += pollMs)
        await new Promise((resolve) => setTimeout(resolve, pollMs))
    },
    stop() {
      stop()
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
      const stops = [
        watch(
          () => db.unsentListening.toArray(),
          whenOthers(stateOfMark, () => then('entries')),
        ),
        watch(
          () => readAccounts(db),
          whenOthers(stateOfAccount, () => then('entries')),
        ),
        onSignal(() => then('network')),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
}

const stateOfMark = ({ kind, key, nonce }: UnsentListening) => `${kind} ${key} ${nonce}`
const stateOfAccount = ({ key, value }: { key: string; value: ListeningAccount }) =>
  `${key} ${value.visit} ${value.on} ${value.askAt} ${value.nextAttemptAt}`

const patienceMs = 15_000
const pollMs = 100

/** A round of one person's visit. */
interface Round {
  userId: number
  visit: string
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
  return at <= now() ? { entry: { userId, visit: account.visit } } : { dueAt: at }
}

/**
 * When the server is asked or told next. Places change every few seconds while something plays, and are sent twice a minute;
 * what a person chose or wrote is sent at once.
 */
async function wantedAt(
  db: AppDatabase,
  { userId, account, now }: { userId: number; account: ListeningAccount; now: number },
): Promise<number> {
  // Far ahead: the clock was set back since.
  const askAt = account.askAt > now + askEveryMs ? 0 : account.askAt
  if (!account.on || (await readOwner(db)) !== userId) return askAt
  const unsent = await db.unsentListening.filter(({ refused }) => refused === undefined).toArray()
  if (unsent.length === 0) return askAt
  const pauseMs = unsent.every(({ kind }) => kind === 'position') ? placesEveryMs : choicesEveryMs
  const { syncedAt = 0 } = account
  return Math.min(askAt, syncedAt > now ? 0 : syncedAt + pauseMs)
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
    // Aborted by this page: no failed attempt.
    if (error instanceof DOMException && error.name === 'AbortError') return
    await settle(db, round, (account) => ({
      ...account,
      ...afterFailure(account, error, now(), random()),
      // Held back, so nothing was asked: an earlier failure stands.
      ...(!(error instanceof TooManyRequests) && {
        lastError: { code: codeOf(error), sentence: sentenceOfError(error) },
      }),
    }))
    if (verdictOf(error) === 'sign in') onSignedOut()
    return
  }
  await settle(db, round, (account) => {
    const { lastError: _lastError, atOnce: _atOnce, ...others } = account
    return { ...others, ...noBackoff, syncedAt: now(), askAt: now() + askEveryMs }
  })
}

const codeOf = (error: unknown): string =>
  error instanceof CallError ? (error.code ?? String(error.status)) : 'network'

/** Asks without waiting for the next time, also after a failure. */
const askNow = (db: AppDatabase, userId: number): Promise<void> =>
  db.transaction('rw', db.meta, async () => {
    const account = await readAccount(db, userId)
    if (account) await writeAccount(db, userId, { ...account, ...noBackoff, askAt: 0 })
  })

/** Whether the server is still to be asked, and nothing has failed. */
async function isAsking(db: AppDatabase, userId: number): Promise<boolean> {
  const account = await readAccount(db, userId)
  return account !== undefined && account.askAt === 0 && account.attempts === 0
}

function settle(
  db: AppDatabase,
  { userId, visit }: Round,
  change: (account: ListeningAccount) => ListeningAccount,
): Promise<void> {
  return db.transaction('rw', db.meta, async () => {
    const account = await readAccount(db, userId)
    if (account?.visit === visit) await writeAccount(db, userId, change(account))
  })
}

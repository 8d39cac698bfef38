import { editOf } from '@fellowship/schema/teachings/teaching-words'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { CallError, NetworkError } from '../../call/call-error.ts'
import { call, type Transport } from '../../call/call.ts'
import { acknowledge, handleConflict, write } from './outbox.ts'
import type { AppDatabase, OutboxEntry } from '../database/app-database.ts'

export interface DrainOptions {
  /** Epoch milliseconds. */
  now: () => number
  /** Who is signed in; entries of others stay where they are. */
  userId: () => number | undefined
  /** A share between 0 and 1, for spreading retries. */
  random: () => number
  /** Breaks off what is under way: its person is leaving. Nothing is lost by it, the server does a mutation once. */
  signal?: () => AbortSignal
  /** For what a screen says. */
  onEvent?: (event: OutboxEvent) => void
}

/**
 * What became of an entry. done: the server said yes · retrying: its first attempt failed, others follow by themselves ·
 * the others are states, told when an entry comes to them
 */
export interface OutboxEvent {
  kind: 'done' | 'retrying' | 'blocked_auth' | 'conflict' | 'rejected'
  entry: OutboxEntry
}

/** First wait after a failure, and the longest, in milliseconds (full jitter: anything up to the doubled time). */
const retry = { base: 2_000, most: 5 * 60_000 }

/**
 * To be called by the one tab that drains, when it begins and after a fault of the database: what was under way then is
 * sent again, which is safe because the server does a mutation once.
 */
export async function requeueInterrupted(db: AppDatabase): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ state }) => state === 'sending').modify({ state: 'queued' })
  })
}

/** A person signed in: what waited for that goes on. */
export async function unblockEntries(db: AppDatabase, userId: number): Promise<void> {
  await write(db, async () => {
    await db.outbox
      .filter(({ state, ownerUserId }) => state === 'blocked_auth' && ownerUserId === userId)
      .modify({ state: 'queued', nextAttemptAt: 0 })
  })
}

/** A person asked, or the line is back: nothing waits for its time any more. */
export async function retryNow(db: AppDatabase): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ state }) => state === 'queued').modify({ nextAttemptAt: 0 })
  })
}

/**
 * Sends what can be sent, teachings independently of each other, each one's entries in their order. An entry leaves
 * by the server's yes alone; every other answer keeps it, with what has to happen.
 *
 * @returns when the next attempt is due, epoch milliseconds; undefined where nothing waits for time
 */
export async function drain(
  db: AppDatabase,
  transport: Transport,
  options: DrainOptions,
): Promise<number | undefined> {
  for (;;) {
    const { next, dueAt } = await nextToSend(db, options)
    if (!next) return dueAt
    await send(db, transport, next, options)
  }
}

/** The first entry whose time has come; none of a teaching whose earlier one waits for a person. */
export async function nextToSend(
  db: AppDatabase,
  { now, userId }: Pick<DrainOptions, 'now' | 'userId'>,
): Promise<{ next?: OutboxEntry; dueAt?: number }> {
  const owner = userId()
  const heads = new Map<string, OutboxEntry>()
  for (const entry of await db.outbox.filter(({ ownerUserId }) => ownerUserId === owner).sortBy('seq')) {
    if (!heads.has(entry.uid)) heads.set(entry.uid, entry)
  }
  const waiting = [...heads.values()].filter(({ state }) => state === 'queued')
  const next = waiting.find(({ nextAttemptAt }) => nextAttemptAt <= now())
  if (next) return { next }
  return waiting.length === 0 ? {} : { dueAt: Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt)) }
}

async function send(
  db: AppDatabase,
  transport: Transport,
  entry: OutboxEntry,
  options: DrainOptions,
): Promise<void> {
  if (!(await begin(db, entry))) return
  try {
    const answer = await request(entry, transport, options.signal?.())
    await acknowledge(db, entry, answer)
    options.onEvent?.({ kind: 'done', entry })
  } catch (error) {
    await handleFailure(db, entry, error, options)
  }
}

/** Marks it as under way; false where it was changed or given up in between. */
async function begin(db: AppDatabase, { seq, mutationId }: OutboxEntry): Promise<boolean> {
  return write(db, async () => {
    const entry = await db.outbox.get(seq)
    if (entry?.mutationId !== mutationId || entry.state !== 'queued') return false
    await db.outbox.update(seq, { state: 'sending' })
    return true
  })
}

async function request(entry: OutboxEntry, transport: Transport, signal?: AbortSignal) {
  const { mutationId, teachingId, base, patch, baseRev } = entry
  // The session may be another person's by now, and this page may not have heard of it.
  const headers = { 'idempotency-key': mutationId, [actingUserHeader]: String(entry.ownerUserId) }
  const params = { id: teachingId }
  if (entry.op === 'edit') {
    const body = { ...editOf(base, patch), baseRev }
    const input = { params, body, headers, ...(signal && { signal }) }
    return { op: 'edit' as const, row: await call(teachings.update, input, transport) }
  }
  try {
    const input = { params, query: { baseRev }, headers, ...(signal && { signal }) }
    const { rev } = await call(teachings.remove, input, transport)
    return { op: 'delete' as const, rev }
  } catch (error) {
    // SPEC §7: gone already is what was wanted, where it is the server that says so.
    if (isOurs(error) && error.status === 404) return { op: 'delete' as const, rev: undefined }
    throw error
  }
}

async function handleFailure(
  db: AppDatabase,
  entry: OutboxEntry,
  error: unknown,
  { now, random, onEvent }: DrainOptions,
): Promise<void> {
  if (error instanceof DOMException && error.name === 'AbortError') {
    // Broken off here: it waits as before, and nothing failed.
    await write(db, async () => {
      await db.outbox.update(entry.seq, { state: 'queued' })
    })
    return
  }
  if (error instanceof CallError && error.code === 'revision_conflict' && error.body['current']) {
    await handleConflict(db, entry, error.body['current'] as Teaching)
    const met = await db.outbox.get(entry.seq)
    if (met?.state === 'conflict') onEvent?.({ kind: 'conflict', entry: met })
    return
  }
  const change =
    error instanceof CallError && error.status === 401
      ? { state: 'blocked_auth' as const }
      : isOurs(error) && !isPassing(error.status)
        ? { state: 'rejected' as const }
        : later(entry, error, now(), random())
  await write(db, async () => {
    await db.outbox.update(entry.seq, { ...change, lastError: described(error) })
  })
  if (change.state !== 'queued') onEvent?.({ kind: change.state, entry })
  else if (entry.attempts === 0) onEvent?.({ kind: 'retrying', entry })
}

/** A refusal in the server's own words; others are a proxy's or a portal's, and pass. */
const isOurs = (error: unknown): error is CallError => error instanceof CallError && error.code !== undefined

/** 408 and 425 ask for another try by their meaning, 429 and 5xx by their nature. */
const isPassing = (status: number) => [408, 425, 429].includes(status) || status >= 500

function later({ attempts }: OutboxEntry, error: unknown, now: number, random: number) {
  const asked = error instanceof CallError ? Number(error.body['retryAfter'] ?? 0) * 1000 : 0
  const wait = Math.max(asked, random * Math.min(retry.base * 2 ** attempts, retry.most))
  return { state: 'queued' as const, attempts: attempts + 1, nextAttemptAt: now + wait }
}

function described(error: unknown): { code: string; sentence: string } {
  if (error instanceof CallError)
    return { code: error.code ?? String(error.status), sentence: error.sentence }
  if (error instanceof NetworkError) return { code: 'network', sentence: error.sentence }
  return { code: 'unknown', sentence: error instanceof Error ? error.message : String(error) }
}

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
  /** The signed-in user; entries of others are not sent. */
  userId: () => number | undefined
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  /** Aborts the request under way when its user signs out; the server applies a mutation once, so it can be repeated. */
  signal?: () => AbortSignal
  /** For toasts. */
  onEvent?: (event: OutboxEvent) => void
}

/**
 * done: the server acknowledged the entry · retrying: its first attempt failed, and retries follow · the others are
 * states that the entry has come to
 */
export interface OutboxEvent {
  kind: 'done' | 'retrying' | 'blocked_auth' | 'conflict' | 'rejected'
  entry: OutboxEntry
}

/** Backoff in milliseconds, with full jitter: any wait up to the doubled time. */
const retry = { base: 2_000, most: 5 * 60_000 }

/**
 * Requeues the entries that were being sent when the leader tab was closed or its database failed. The leader calls it;
 * sending again is safe because the server applies a mutation once.
 */
export async function requeueInterrupted(db: AppDatabase): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ state }) => state === 'sending').modify({ state: 'queued' })
  })
}

/** After a sign-in: requeues the entries that were blocked for want of a session. */
export async function unblockEntries(db: AppDatabase, userId: number): Promise<void> {
  await write(db, async () => {
    await db.outbox
      .filter(({ state, ownerUserId }) => state === 'blocked_auth' && ownerUserId === userId)
      .modify({ state: 'queued', nextAttemptAt: 0 })
  })
}

/** Ends every backoff: a person asked, or the network is back. */
export async function retryNow(db: AppDatabase): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ state }) => state === 'queued').modify({ nextAttemptAt: 0 })
  })
}

/**
 * Sends what can be sent: the entries of one teaching in their order, teachings independently of each other. An entry
 * leaves the outbox only when the server acknowledges it; any other answer changes its state.
 *
 * @returns when the next retry is due, epoch milliseconds; undefined where none is
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

/** The first entry that is due; none of a teaching with an earlier entry in conflict, rejected or blocked. */
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

/** Sets the state to sending; false where the entry was changed or discarded in between. */
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
  // The session may be another user's by now, without this page knowing.
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
    // Deleting what is deleted already succeeds, but only where our server says so and not a proxy.
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
    // Aborted by this page: not a failed attempt.
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

/** An error of our server, which has a code; those of proxies and captive portals have none and are retried. */
const isOurs = (error: unknown): error is CallError => error instanceof CallError && error.code !== undefined

/** Whether a retry may succeed. */
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

import { editOf } from '@fellowship/schema/teachings/teaching-words'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import { problems } from '@fellowship/schema/problem'
import { series } from '@fellowship/schema/series/series.contract'
import type { NewSeries, SeriesEdit } from '@fellowship/schema/series/series.schema'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { CallError, TooManyRequests } from '../../call/call-error.ts'
import { call, type Transport } from '../../call/call.ts'
import type { AppDatabase, OutboxEntry, SeriesEntry, TeachingEntry } from '../database/app-database.ts'
import { afterFailure, dueAt, endBackoff } from '../engine/backoff.ts'
import { drainQueue, firstDue, type Next, type Queue } from '../engine/queue.ts'
import { deviceRequestRate, type RequestRate } from '../engine/rate.ts'
import { described, withTimeLimit, verdictOf } from '../engine/request.ts'
import { amend, isOfTeaching, laneOf, type EntryRow } from './entry-words.ts'
import { acknowledge, dropRestore, handleConflict, write } from './outbox.ts'

export interface DrainOptions {
  /** Epoch milliseconds. */
  now: () => number
  /** The signed-in user; entries of others are not sent. */
  userId: () => number | undefined
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  /** Aborts the requests under way when their user signs out; the server applies a mutation once, so they can be repeated. */
  signal?: () => AbortSignal
  /** For toasts. */
  onEvent?: (event: OutboxEvent) => void
  rate?: RequestRate
}

/**
 * done: the server acknowledged the entry · retrying: its first attempt failed, and retries follow · the others are
 * states that the entry has come to
 */
export interface OutboxEvent {
  kind: 'done' | 'retrying' | 'blocked_auth' | 'conflict' | 'rejected'
  entry: OutboxEntry
}

/** Teachings and series whose entries are sent side by side: a request that hangs holds up only its own. */
const width = 4

/**
 * The outbox as a queue: the entries of one teaching or series in their order, independently of all others. An entry
 * leaves the outbox only when the server acknowledges it; any other answer changes its state.
 */
export function outboxQueue(
  db: AppDatabase,
  transport: Transport,
  options: DrainOptions,
): Queue<OutboxEntry> {
  return {
    width,
    laneOf,
    next: (busy) => nextToSend(db, options, busy),
    run: (entry, signal) => send(db, transport, entry, options, signal),
  }
}

/**
 * Sends the entries that are due.
 *
 * @returns when the next retry is due, epoch milliseconds; undefined if none is
 */
export const drain = (
  db: AppDatabase,
  transport: Transport,
  options: DrainOptions,
): Promise<number | undefined> =>
  drainQueue(outboxQueue(db, transport, options), new AbortController().signal)

/** After a sign-in: requeues the entries that were blocked for want of a session. */
export async function unblockEntries(db: AppDatabase, userId: number): Promise<void> {
  await write(db, async () => {
    await db.outbox
      .filter(({ state, ownerUserId }) => state === 'blocked_auth' && ownerUserId === userId)
      .modify({ state: 'queued', nextAttemptAt: 0 })
  })
}

/** Ends backoffs: of all entries at a person's request; of those without an answer when the network may be back. */
export async function retryNow(db: AppDatabase, why: 'asked' | 'network' = 'asked'): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ state }) => state === 'queued').modify(endBackoff(why))
  })
}

/** Whether something of this user is being sent, or could be. */
export async function isSending(
  db: AppDatabase,
  options: Pick<DrainOptions, 'now' | 'userId'>,
): Promise<boolean> {
  return (await nextToSend(db, options, new Set())).entry !== undefined
}

/**
 * The first entry that is due, without those behind an entry in conflict, rejected or blocked. One in the
 * state sending whose lane is free was left by a closed tab, or by a database that failed.
 */
async function nextToSend(
  db: AppDatabase,
  { now, userId }: Pick<DrainOptions, 'now' | 'userId'>,
  busy: ReadonlySet<string>,
): Promise<Next<OutboxEntry>> {
  const owner = userId()
  const heads = new Map<string, OutboxEntry>()
  for (const entry of await db.outbox.filter(({ ownerUserId }) => ownerUserId === owner).sortBy('seq')) {
    if (!heads.has(laneOf(entry))) heads.set(laneOf(entry), entry)
  }
  const waiting = [...heads.values()].filter((entry) => isUnderWay(entry) && !busy.has(laneOf(entry)))
  return firstDue(waiting, (each) => dueAt(each, now()), now())
}

const isUnderWay = ({ state }: OutboxEntry) => state === 'queued' || state === 'sending'

async function send(
  db: AppDatabase,
  transport: Transport,
  entry: OutboxEntry,
  options: DrainOptions,
  leading: AbortSignal,
): Promise<void> {
  if (!(await change(db, entry, { state: 'sending' }))) return
  const { rate = deviceRequestRate } = options
  const counted = rate.transportOf(`outbox ${entry.seq}`, transport)
  const outer = [leading, ...(options.signal ? [options.signal()] : [])]
  try {
    const answer = await withTimeLimit(({ signal }) => request(entry, counted, signal), { outer })
    await acknowledge(db, entry, answer)
    counted.forget()
  } catch (error) {
    return handleFailure(db, entry, error, options)
  }
  options.onEvent?.({ kind: 'done', entry })
}

/** Changes an entry that is under way; returns false if it was decided or discarded in between. */
async function change(
  db: AppDatabase,
  { seq, mutationId }: OutboxEntry,
  changes: Parameters<typeof amend>[2],
): Promise<boolean> {
  return write(db, async () => {
    const entry = await db.outbox.get(seq)
    if (entry?.mutationId !== mutationId || !isUnderWay(entry)) return false
    await amend(db, seq, changes)
    return true
  })
}

interface Sent {
  headers: Record<string, string>
  signal: AbortSignal
}

async function request(entry: OutboxEntry, transport: Transport, signal: AbortSignal) {
  const { mutationId, ownerUserId } = entry
  // The session may be another user's by now, without this page knowing.
  const headers = { 'idempotency-key': mutationId, [actingUserHeader]: String(ownerUserId) }
  const sent = { headers, signal }
  const answer = await (isOfTeaching(entry)
    ? requestOfTeaching(entry, transport, sent)
    : requestOfSeries(entry, transport, sent))
  // After a restore another teaching may have the number, on a server that does not compare the uid yet.
  if (answer.op === 'edit' && answer.row.uid !== entry.uid) throw goneError()
  return answer
}

async function requestOfTeaching(entry: TeachingEntry, transport: Transport, sent: Sent) {
  const { teachingId, uid, base, patch, baseRev } = entry
  const input = { params: { id: teachingId }, ...sent }
  if (entry.op === 'restore')
    return { op: 'edit' as const, row: await call(teachings.undoRemove, input, transport) }
  if (entry.op === 'delete') {
    const { rev } = await call(teachings.remove, { ...input, query: { baseRev, uid } }, transport)
    return { op: 'delete' as const, rev }
  }
  const body = { ...editOf(base, patch), baseRev, uid }
  return { op: 'edit' as const, row: await call(teachings.update, { ...input, body }, transport) }
}

async function requestOfSeries(entry: SeriesEntry, transport: Transport, sent: Sent) {
  const { op, uid, patch, baseRev } = entry
  const input = { params: { uid }, ...sent }
  if (op === 'restore') return { op: 'edit' as const, row: await call(series.undoRemove, input, transport) }
  if (op === 'delete') {
    const { rev } = await call(series.remove, { ...input, query: { baseRev } }, transport)
    return { op: 'delete' as const, rev }
  }
  const { teachings: uids, ...words } = patch
  const body = { ...words, ...(uids && { teachings: [...uids] }) }
  const row =
    op === 'create'
      ? await call(series.create, { ...sent, body: { uid, ...body } as NewSeries }, transport)
      : await call(series.update, { ...input, body: { ...body, baseRev } as SeriesEdit }, transport)
  return { op: 'edit' as const, row }
}

async function handleFailure(
  db: AppDatabase,
  entry: OutboxEntry,
  error: unknown,
  options: DrainOptions,
): Promise<void> {
  const { now, random, onEvent } = options
  // Aborted by this page, or not sent at all: no failed attempt. Every other failure has a class of its own.
  if (error instanceof DOMException) {
    await change(db, entry, { state: 'queued' })
    return
  }
  if (error instanceof TooManyRequests) {
    await change(db, entry, { state: 'queued', ...afterFailure(entry, error, now(), random()) })
    return
  }
  const code = error instanceof CallError ? error.code : undefined
  if (code === 'not_found' && entry.op === 'delete') {
    // Deleting a deleted row succeeds, but only if the answer is our server's.
    await acknowledge(db, entry, { op: 'delete' })
    onEvent?.({ kind: 'done', entry })
    return
  }
  if (code === 'not_found' && entry.op === 'restore') return dropRestore(db, entry)
  const current = code === 'revision_conflict' ? currentOf(entry, error as CallError) : undefined
  if (current && current.uid !== entry.uid) return handleFailure(db, entry, goneError(), options)
  if (current) {
    await handleConflict(db, entry, current)
    const met = await db.outbox.get(entry.seq)
    if (met?.state === 'conflict') onEvent?.({ kind: 'conflict', entry: met })
    return
  }
  const state = stateAfter(error)
  const changes = state === 'queued' ? afterFailure(entry, error, now(), random()) : {}
  if (!(await change(db, entry, { state, ...changes, lastError: described(error) }))) return
  if (state !== 'queued') onEvent?.({ kind: state, entry })
  else if (entry.attempts === 0) onEvent?.({ kind: 'retrying', entry })
}

function stateAfter(error: unknown): 'queued' | 'blocked_auth' | 'rejected' {
  const verdict = verdictOf(error)
  if (verdict === 'sign in') return 'blocked_auth'
  if (verdict === 'again') return 'queued'
  // An address without a body that does not know the row is a proxy's.
  return error instanceof CallError && error.code !== undefined ? 'rejected' : 'queued'
}

/** The row on the server, as it came with a conflict; undefined if it is not a whole one. */
function currentOf(entry: OutboxEntry, { body }: CallError): EntryRow | undefined {
  const { current } = body
  const row = (isOfTeaching(entry) ? teachings : series).update.answer
  return row.safeParse(current).success ? (current as EntryRow) : undefined
}

const goneError = () =>
  new CallError(
    404,
    JSON.stringify({ success: false, code: 'not_found', error: problems.not_found.sentence }),
  )

import { kinds, type SnapshotPage, type SyncPage } from '@fellowship/schema/sync/sync.schema'
import { CallError, NetworkError, networkErrorOf } from '../../call/call-error.ts'
import { type Transport, addressOf } from '../../call/call.ts'
import { agrees, digestsOf, replicaShape } from '../../protocol/digest.ts'
import { applyPage } from './apply-page.ts'
import type { AppDatabase } from '../database/app-database.ts'
import { readSyncState, writeSyncState } from './sync-state.ts'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import { pageTag } from '../../protocol/cursor.ts'
import { textOf, withTimeLimit } from '../engine/request.ts'

export interface PullOptions {
  /** The device's clock, epoch milliseconds. */
  now: () => number
  /** Rows a page holds; the server's standard if it is left out. */
  limit?: number
  /** Compare the device with the server's digest and heal a difference by a snapshot. */
  verify?: boolean
  /** Called with a snapshot before it is written, so that a first visit shows its rows at once. */
  onSnapshot?: (page: SnapshotPage) => void
  /** Called when the digests differ for no known reason. */
  onHeal?: () => void
}

/**
 * Pulls page after page until there is no more. Safe in several tabs at once.
 *
 * @throws CallError, NetworkError; pages that were applied before stay
 */
export async function pull(db: AppDatabase, transport: Transport, options: PullOptions): Promise<void> {
  for (;;) {
    const asked = await readSyncState(db)
    const since = asked.shape === replicaShape ? asked.cursor : undefined
    const missing = asked.missing ?? []
    // A 304 would not show whether this server has these kinds.
    const page = await fetchPage(transport, since, options.limit, { conditional: missing.length === 0 })
    if (page === 'unchanged') {
      await touch(db, asked.cursor, options.now())
      if (options.verify) await verifyUnchanged(db, transport, options)
      return
    }
    if (page.mode === 'delta' && missing.some((kind) => page.digests?.[kind]))
      return pullSnapshot(db, transport, options)
    if (page.mode === 'snapshot') options.onSnapshot?.(page)
    const outcome = await applyPage(db, asked, page, options.now())
    if (outcome === 'stale' || page.more) continue
    if (options.verify) await verify(db, transport, page, options)
    return
  }
}

/** Replaces the replica by a snapshot, in one transaction, regardless of the cursor. */
async function pullSnapshot(db: AppDatabase, transport: Transport, options: PullOptions): Promise<void> {
  for (;;) {
    const asked = await readSyncState(db)
    const page = await fetchPage(transport, undefined, undefined)
    if (page === 'unchanged') throw new NetworkError('A snapshot cannot be unchanged')
    if ((await applyPage(db, asked, page, options.now())) === 'applied') return
  }
}

/** The digests of the replica. */
export async function localDigests(db: AppDatabase) {
  return db.transaction('r', db.replicaTables, async () => {
    const entries = []
    for (const kind of kinds) {
      for (const { uid, rev } of await db.tableOf(kind).toArray()) entries.push({ kind, uid, rev })
    }
    return digestsOf(entries)
  })
}

/** Stores when the server last answered, for the status line. */
async function touch(db: AppDatabase, asked: string | undefined, now: number): Promise<void> {
  await db.transaction('rw', db.meta, async () => {
    const state = await readSyncState(db)
    if (state.cursor === asked) await writeSyncState(db, { ...state, syncedAt: now })
  })
}

/** A 304 carries no digest, so the request is repeated without the condition. */
async function verifyUnchanged(
  db: AppDatabase,
  transport: Transport,
  options: PullOptions,
  comparisons?: number,
): Promise<void> {
  const asked = await readSyncState(db)
  const page = await fetchPage(transport, asked.cursor, options.limit, { conditional: false })
  if (page === 'unchanged') return
  if ((await applyPage(db, asked, page, options.now())) === 'stale' || page.more)
    return pull(db, transport, options)
  await verify(db, transport, page, options, comparisons)
}

/** Comparisons before a difference counts as one. */
const maxComparisons = 4

async function verify(
  db: AppDatabase,
  transport: Transport,
  page: SyncPage,
  options: PullOptions,
  comparisons = 1,
): Promise<void> {
  const { cursor } = await readSyncState(db)
  // Another tab has pulled further meanwhile, so the digest belongs to older rows.
  if (!page.digest || cursor !== page.next) return
  if (!agrees(await localDigests(db), page)) {
    // Acknowledged outbox entries are in the replica before a page brings them, so it may be ahead.
    if (comparisons < maxComparisons) return verifyUnchanged(db, transport, options, comparisons + 1)
    options.onHeal?.()
    await pullSnapshot(db, transport, options)
  }
  await db.transaction('rw', db.meta, async () => {
    await writeSyncState(db, { ...(await readSyncState(db)), verifiedAt: options.now() })
  })
}

/** One page, or 'unchanged' if nothing changed since the cursor. */
async function fetchPage(
  transport: Transport,
  since: string | undefined,
  limit: number | undefined,
  { conditional = true } = {},
): Promise<SyncPage | 'unchanged'> {
  const query = { ...(since && { since }), ...(limit && { limit }), schema: clientSchema }
  const headers: Record<string, string> = { accept: 'application/json' }
  const tag = since && conditional ? pageTag(since, since, clientSchema) : undefined
  if (tag !== undefined) headers['if-none-match'] = tag
  try {
    return await withTimeLimit(async ({ signal, touch }) => {
      const init = { headers, cache: 'no-store', credentials: 'same-origin', signal } as const
      const response = await transport.fetch(transport.base + addressOf(sync.pull, { query }), init)
      // Unasked it is a proxy's: a device that has nothing would count as up to date.
      if (response.status === 304 && tag !== undefined) return 'unchanged'
      const text = await textOf(response, touch)
      if (!response.ok) throw new CallError(response.status, text, response)
      return sync.pull.answer.parse(JSON.parse(text))
    })
  } catch (error) {
    throw error instanceof CallError ? error : networkErrorOf(error)
  }
}

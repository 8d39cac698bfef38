import type { Kind } from '@fellowship/schema/sync/sync.schema'
import { writerSchema, type AppDatabase } from '../database/app-database.ts'

/** How far this device has pulled. */
export interface SyncState {
  /** Sent with the next pull; absent before the first snapshot. */
  cursor?: string
  /**
   * How many changes of this device were acknowledged. A page that was asked for before the last of them may be older
   * than it, and is not applied.
   */
  acknowledged?: number
  /** The shape under which the rows were stored; absent on devices of builds that did not note it. */
  shape?: string
  /**
   * Kinds that the server of the last new page did not know: during an update by turns an earlier process may answer, and its
   * snapshot, or its cursor, passes over their rows.
   */
  missing?: readonly Kind[]
  /** When the device last heard everything, in epoch milliseconds of its own clock. */
  syncedAt?: number
  /** When its digest last equalled the server's. */
  verifiedAt?: number
}

const key = 'sync'
const writerKey = 'minWriterSchema'

/** The stored state; an empty one before the first sync. Fit for a live query. */
export async function readSyncState(db: AppDatabase): Promise<SyncState> {
  return ((await db.meta.get(key))?.value as SyncState | undefined) ?? {}
}

/** Call inside the transaction that writes the rows of this state. */
export async function writeSyncState(db: AppDatabase, state: SyncState): Promise<void> {
  await db.meta.put({ key, value: state })
}

/**
 * Call first in every transaction that writes rows: a page of an older build, still open in another tab, must not write
 * rows of the old shape.
 *
 * @throws OutdatedPage
 */
export async function assertMayWrite(db: AppDatabase): Promise<void> {
  const needed = ((await db.meta.get(writerKey))?.value as number | undefined) ?? 0
  if (needed > writerSchema) throw db.becomeOutdated(haveWritten.has(db) ? 'outdated' : 'older')
  haveWritten.add(db)
  if (needed < writerSchema) await db.meta.put({ key: writerKey, value: writerSchema })
}

/** Databases that this page was allowed to write: a newer build that forbids it has started since. */
const haveWritten = new WeakSet<AppDatabase>()

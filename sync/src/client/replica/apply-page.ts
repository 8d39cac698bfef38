import {
  kinds,
  laterKinds,
  type Change,
  type DeltaPage,
  type Kind,
  type SnapshotPage,
  type SyncPage,
} from '@fellowship/schema/sync/sync.schema'
import type { Site } from '@fellowship/schema/site/site.contract'
import { fromColumns, withUids } from '../../protocol/columns.ts'
import { replicaShape } from '../../protocol/digest.ts'
import { recordNewTeachings } from '../whats-new/whats-new.store.ts'
import type { AppDatabase } from '../database/app-database.ts'
import { writeSite } from './site.store.ts'
import { assertMayWrite, readSyncState, writeSyncState, type SyncState } from './sync-state.ts'

/**
 * Writes a page and its cursor in one transaction. A page is not applied if another tab was faster, or if a change
 * of this device was acknowledged since: it may not hold that change yet.
 *
 * @param asked the state in which the page was asked for
 * @param now epoch milliseconds of the device
 */
export async function applyPage(
  db: AppDatabase,
  asked: Pick<SyncState, 'cursor' | 'acknowledged'>,
  page: SyncPage,
  now: number,
): Promise<'applied' | 'stale'> {
  return db.transaction('rw', db.replicaTables, async () => {
    await assertMayWrite(db)
    const state = await readSyncState(db)
    if (state.cursor !== asked.cursor) return 'stale'
    if (state.acknowledged !== asked.acknowledged) return 'stale'
    await (page.mode === 'snapshot'
      ? applySnapshot(db, page, state.cursor === undefined)
      : applyDelta(db, page))
    if (page.site) await writeSite(db, page.site as unknown as Site)
    await writeSyncState(db, {
      ...state,
      cursor: page.next,
      ...(page.mode === 'snapshot' && { shape: replicaShape }),
      ...(!page.more && { syncedAt: now, missing: missingAfter(state, page) }),
    })
    return 'applied'
  })
}

/** The kinds of which this device may lack rows after the last page: those without a digest in it. */
function missingAfter({ cursor, missing = [] }: SyncState, page: SyncPage): readonly Kind[] {
  const unknown = laterKinds.filter((kind) => page.digests?.[kind] === undefined)
  if (page.mode === 'snapshot') return unknown
  return page.next === cursor ? missing : [...new Set([...missing, ...unknown])]
}

/** The rows of one kind in a snapshot. */
export function snapshotRows(page: SnapshotPage, kind: Kind): StoredRow[] {
  const tables = kind === 'series' ? withUids(page.tables) : page.tables
  return fromColumns(tables[kind] ?? {}) as StoredRow[]
}

type StoredRow = { uid: string; rev: number }

async function applyDelta(db: AppDatabase, page: DeltaPage): Promise<void> {
  for (const kind of kinds) {
    const changes = page.changes.filter((change) => change.kind === kind)
    const table = db.tableOf(kind)
    const rows = changes.flatMap(putRow)
    const left = changes.flatMap(deletedUid)
    if (kind === 'teaching') {
      const uids = rows.map(({ uid }) => uid)
      const present = new Set(await table.where('uid').anyOf(uids).primaryKeys())
      await recordNewTeachings(db, { came: uids.filter((uid) => !present.has(uid)), left })
    }
    await table.bulkPut(rows)
    await table.bulkDelete(left)
  }
}

/**
 * Never clear and fill: a screen that reads in between would flash empty.
 *
 * @param isFirst the device had no library: none of its teachings is new
 */
async function applySnapshot(db: AppDatabase, page: SnapshotPage, isFirst: boolean): Promise<void> {
  for (const kind of kinds) {
    const rows = snapshotRows(page, kind)
    const kept = new Set(rows.map(({ uid }) => uid))
    const table = db.tableOf(kind)
    const present = await table.toCollection().primaryKeys()
    const left = present.filter((uid) => !kept.has(uid))
    if (kind === 'teaching' && !isFirst) {
      const known = new Set(present)
      await recordNewTeachings(db, { came: [...kept].filter((uid) => !known.has(uid)), left })
    }
    await putInParts(table, rows)
    await table.bulkDelete(left)
  }
}

/** Rows that are handed over at once: a press or a frame that comes meanwhile waits for no more than these. */
const partRows = 250

/** Writes many rows without holding the page up: the next part is handed over while the last one is written. */
async function putInParts(
  table: ReturnType<AppDatabase['tableOf']>,
  rows: readonly StoredRow[],
): Promise<void> {
  let before: PromiseLike<unknown> = Promise.resolve()
  for (let at = 0; at < rows.length; at += partRows) {
    const writing = table.bulkPut(rows.slice(at, at + partRows))
    await before
    before = writing
  }
  await before
}

const putRow = (change: Change): StoredRow[] =>
  change.op === 'put' ? [change.row as unknown as StoredRow] : []
const deletedUid = (change: Change): string[] => (change.op === 'del' ? [change.uid] : [])

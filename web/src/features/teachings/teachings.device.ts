import { teachingListFreshMs } from '@fellowship/schema/teachings/teachings.limits'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import {
  appDatabase,
  type AppDatabase,
  type OutboxEntry,
} from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { readShownOutbox, applyOutbox } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { newestFirst, readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { pageQueues } from '../sync/page-queues.ts'
import { watchReplicated } from '../../lib/watch-replicated.ts'
import type { Library, OutboxView } from './library.ts'

/**
 * Reports the library from the replica, at once and after every change, and pulls if the replica is older than five
 * minutes. On the first sync it reports the rows while they are still being written.
 */
export const watchLibrary = (onChange: (library: Library) => void): (() => void) =>
  watchReplicated({
    kind: 'teaching',
    read: () => readTeachings(),
    inOrder: newestFirst,
    freshMs: teachingListFreshMs,
    onRows: (rows) => {
      lastRows = rows
      onChange({ status: 'ready', rows })
    },
    onFailure: (error) => onChange(failure(error)),
  })

const failure = (error: unknown): Library => ({
  status: 'failed',
  sentence: teachingTexts.fetchFailed(sentenceOfError(error)),
  offline: error instanceof NetworkError,
})

/** All rows as last read, and single rows that were read again since, undefined if deleted. */
let lastRows: readonly Teaching[] = []
const settled = new WeakMap<readonly Teaching[], Map<string, Teaching | undefined>>()

async function settle(db: AppDatabase, uids: readonly string[]): Promise<void> {
  const over = lastRows
  const rows = await db.teachings.bulkGet([...uids]).catch(() => undefined)
  if (rows)
    settled.set(
      over,
      new Map([...(settled.get(over) ?? []), ...uids.map((uid, at) => [uid, rows[at]] as const)]),
    )
}

function withOutbox(rows: readonly Teaching[], entries: readonly OutboxEntry[]): readonly Teaching[] {
  const since = settled.get(rows)
  if (entries.length === 0 && !since) return rows
  const now = since ? rows.flatMap((row) => (since.has(row.uid) ? (since.get(row.uid) ?? []) : row)) : rows
  return applyOutbox(now, entries).sort(newestFirst)
}

/**
 * Calls `onChange` with the outbox of a user, at once and after every change.
 *
 * When an entry is acknowledged, it leaves the outbox in the same transaction that writes its row, but reading ten thousand
 * rows again takes longer than reading a few entries. Until then the list would show the old row; so that row is read
 * alone.
 */
export function watchOutboxView(
  userId: number | undefined,
  onChange: (outbox: OutboxView) => void,
): () => void {
  const db = appDatabase()
  let before: readonly OutboxEntry[] = []
  let turn = Promise.resolve()
  let isStopped = false
  const show = async (entries: readonly OutboxEntry[]) => {
    const left = before.filter(({ seq }) => !entries.some((entry) => entry.seq === seq))
    before = entries
    if (left.length > 0) await settle(db, [...new Set(left.map(({ uid }) => uid))])
    // Another user may have signed in during the read.
    if (isStopped) return
    onChange({
      byUid: new Map(entries.map(({ uid, state }) => [uid, isUndecided(state) ? 'undecided' : 'queued'])),
      apply: (rows) => withOutbox(rows, entries),
    })
  }
  // If the database fails, the library reports it.
  const stopWatching = watch(
    () => readShownOutbox(db, userId),
    (entries) => {
      turn = turn.then(() => show(entries))
    },
  )
  return () => {
    isStopped = true
    stopWatching()
  }
}

const isUndecided = (state: string) => state === 'conflict' || state === 'rejected'

export const refreshLibrary = (): Promise<void> => syncSession().pull()

/** The current rows of the replica; undefined before the first pull. */
export const readLibrary = async (): Promise<Library | undefined> => {
  const rows = await readTeachings()
  if (rows) lastRows = rows
  return rows && { status: 'ready', rows }
}

/**
 * The Sync button: sends all pending entries, pulls, and verifies the replica against the server's digest.
 *
 * @returns the counts of changes, recordings and listening events of this user that are still pending
 */
export async function synchronize(): Promise<number> {
  const waiting = await pageQueues().sendNow()
  await syncSession().pull({ verify: true })
  return waiting
}

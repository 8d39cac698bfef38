import { seriesTextOf } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { patchBetween, type Words, merge } from '../../protocol/merge.ts'
import type { AppDatabase, OutboxEntry, TeachingEntry } from '../database/app-database.ts'

/** A row that an outbox entry changes. */
export type EntryRow = Teaching | Series

/** The kind of the row that an entry changes; those of teachings are older than the name of a kind. */
export const kindOf = ({ kind }: Pick<OutboxEntry, 'kind'>): Kind & ('teaching' | 'series') =>
  kind ?? 'teaching'

export const isOfTeaching = (entry: OutboxEntry): entry is TeachingEntry => kindOf(entry) === 'teaching'

/** Entries of one lane are sent one after another: those of one row. A series might have the uid of a teaching. */
export const laneOf = (entry: Pick<OutboxEntry, 'kind' | 'uid'>): string => `${kindOf(entry)} ${entry.uid}`

/** The words of the row of an entry. */
export const wordsOf = (entry: Pick<OutboxEntry, 'kind'>, row: EntryRow): Words =>
  kindOf(entry) === 'series' ? seriesTextOf(row as Series) : textOf(row as Teaching)

/** The row of an entry in the replica. */
export const rowOf = async (
  db: AppDatabase,
  entry: Pick<OutboxEntry, 'kind' | 'uid'>,
): Promise<EntryRow | undefined> =>
  (await db.tableOf(kindOf(entry)).get(entry.uid)) as unknown as EntryRow | undefined

/** The changes of an entry: its words are those of its kind. */
type EntryChanges = Partial<Omit<OutboxEntry, 'kind' | 'base' | 'patch' | 'current' | 'op'>> & {
  base?: Words
  patch?: Words
  current?: EntryRow | undefined
  op?: 'edit' | 'restore'
  teachingId?: number
}

export async function amend(db: AppDatabase, seq: number, changes: EntryChanges): Promise<void> {
  await db.outbox.update(seq, changes as Partial<TeachingEntry>)
}

export const isEmpty = (patch: Words): boolean => Object.keys(patch).length === 0

/** Whether nothing that people write differs. */
export const isUnchanged = (from: Words, to: Words): boolean => isEmpty(patchBetween(from, to))

/**
 * Rebases later entries of the same user and row, which were made on top of this one, on the server's row. One that
 * is in conflict with it needs a person: the server might take it, as it may have been made after that revision was seen.
 */
export async function rebaseLaterEntries(
  db: AppDatabase,
  sent: OutboxEntry,
  current: EntryRow,
): Promise<void> {
  let standing = wordsOf(sent, current)
  for (const entry of await laterEntries(db, sent)) {
    const rebased = rebase(entry, standing)
    if (!rebased) {
      await amend(db, entry.seq, { state: 'conflict', current })
      return
    }
    if (rebased === 'nothing left') await db.outbox.delete(entry.seq)
    else await amend(db, entry.seq, { base: standing, baseRev: current.rev, patch: rebased })
    standing = { ...standing, ...entry.patch }
  }
}

/** The entries of the same user and row that were made after one, oldest first. */
export const laterEntries = (
  db: AppDatabase,
  { seq, ...sent }: Pick<OutboxEntry, 'seq' | 'kind' | 'uid' | 'ownerUserId'>,
): PromiseLike<OutboxEntry[]> =>
  db.outbox
    .where('uid')
    .equals(sent.uid)
    .filter((entry) => entry.seq > seq && isOfSameLane(entry, sent))
    .sortBy('seq')

/** Whether two entries are of the same user and row. */
export const isOfSameLane = (
  one: Pick<OutboxEntry, 'kind' | 'uid' | 'ownerUserId'>,
  other: Pick<OutboxEntry, 'kind' | 'uid' | 'ownerUserId'>,
): boolean => one.ownerUserId === other.ownerUserId && laneOf(one) === laneOf(other)

/** The patch of an entry on another base; undefined in a conflict. */
export function rebase(
  { op, base, patch }: { op: OutboxEntry['op']; base: Words; patch: Words },
  standing: Words,
): Words | 'nothing left' | undefined {
  if (op === 'restore') return patch
  if (op === 'delete') return isUnchanged(base, standing) ? patch : undefined
  const result = merge(base, patch, standing)
  if (result.outcome === 'conflict') return undefined
  return result.outcome === 'merged' ? result.patch : 'nothing left'
}

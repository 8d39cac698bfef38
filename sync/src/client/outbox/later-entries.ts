import { merge, type Words } from '../../protocol/merge.ts'
import type { AppDatabase, OutboxEntry } from '../database/app-database.ts'
import { amend, isUnchanged, laneOf, wordsOf, type EntryRow } from './entry-words.ts'

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

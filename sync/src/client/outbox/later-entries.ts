import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { textOf, type TeachingPatch, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { merge, patchBetween } from '../../protocol/merge.ts'
import type { AppDatabase, OutboxEntry } from '../database/app-database.ts'

/**
 * Rebases later entries of the same user and teaching, which were made on top of this one, on the server's row. One that
 * is in conflict with it needs a person: the server might take it, as it may have been made after that revision was seen.
 */
export async function rebaseLaterEntries(
  db: AppDatabase,
  { seq, uid, ownerUserId }: OutboxEntry,
  current: Teaching,
): Promise<void> {
  let standing = textOf(current)
  for (const entry of await laterEntries(db, { seq, uid, ownerUserId })) {
    const rebased = rebase(entry, standing)
    if (!rebased) {
      await db.outbox.update(entry.seq, { state: 'conflict', current })
      return
    }
    if (rebased === 'nothing left') await db.outbox.delete(entry.seq)
    else await db.outbox.update(entry.seq, { base: standing, baseRev: current.rev, patch: rebased })
    standing = { ...standing, ...entry.patch }
  }
}

/** The entries of the same user and teaching that were made after one, oldest first. */
export const laterEntries = (
  db: AppDatabase,
  { seq, uid, ownerUserId }: Pick<OutboxEntry, 'seq' | 'uid' | 'ownerUserId'>,
): PromiseLike<OutboxEntry[]> =>
  db.outbox
    .where('uid')
    .equals(uid)
    .filter((entry) => entry.seq > seq && entry.ownerUserId === ownerUserId)
    .sortBy('seq')

export const isEmpty = (patch: TeachingPatch) => Object.keys(patch).length === 0

/** The patch of an entry on another base; undefined in a conflict. */
export function rebase(
  { op, base, patch }: OutboxEntry,
  standing: TeachingText,
): TeachingPatch | 'nothing left' | undefined {
  if (op === 'delete') return isEmpty(patchBetween(base, standing)) ? patch : undefined
  const result = merge(base, patch, standing)
  if (result.outcome === 'conflict') return undefined
  return result.outcome === 'merged' ? result.patch : 'nothing left'
}

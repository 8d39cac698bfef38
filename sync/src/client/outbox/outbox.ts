import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { decodeCursor } from '../../protocol/cursor.ts'
import {
  storedWords,
  textOf,
  type TeachingPatch,
  type TeachingText,
} from '@fellowship/schema/teachings/teaching-words'
import { merge, patchBetween } from '../../protocol/merge.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { AppDatabase, OutboxEntry } from '../database/app-database.ts'
import { assertMayWrite, readSyncState } from '../replica/sync-state.ts'

/** The outbox: edits and deletions that the server has not acknowledged. An entry leaves when it is, or by a person's decision. */

/** The user and the time; `now` in epoch milliseconds. */
export interface Author {
  userId: number
  now: number
}

/** Notes an edit as seen on the screen: `shown` is the teaching with what was pending, `edited` what it should be. */
export async function appendEdit(
  db: AppDatabase,
  shown: Teaching,
  edited: TeachingText,
  author: Author,
): Promise<OutboxEntry | undefined> {
  const base = textOf(shown)
  const patch = patchBetween(base, edited)
  if (Object.keys(patch).length === 0) return undefined
  return append(db, shown, { op: 'edit', base, patch }, author)
}

export async function appendDelete(db: AppDatabase, shown: Teaching, author: Author): Promise<OutboxEntry> {
  return append(db, shown, { op: 'delete', base: textOf(shown), patch: {} }, author)
}

/** The entries of this user, oldest first. Those of other users of the device are not shown. */
export async function readOutbox(db: AppDatabase, userId: number | undefined): Promise<OutboxEntry[]> {
  return userId === undefined
    ? []
    : db.outbox.filter(({ ownerUserId }) => ownerUserId === userId).sortBy('seq')
}

/**
 * The entries that are shown: this user's; signed out, those that an expired session has blocked. Signing out hides
 * them, see `park`.
 */
export async function readShownOutbox(db: AppDatabase, userId: number | undefined): Promise<OutboxEntry[]> {
  return userId === undefined
    ? db.outbox.filter(({ state }) => state === 'blocked_auth').sortBy('seq')
    : readOutbox(db, userId)
}

/** The library as this user sees it: the replica's rows with the outbox entries applied. */
export function applyOutbox(rows: readonly Teaching[], pending: readonly OutboxEntry[]): Teaching[] {
  if (pending.length === 0) return [...rows]
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  for (const { uid, op, patch } of pending) {
    const row = byUid.get(uid)
    if (!row) continue
    if (op === 'delete') byUid.delete(uid)
    else byUid.set(uid, patched(row, patch))
  }
  return rows.flatMap(({ uid }) => byUid.get(uid) ?? [])
}

/** The server acknowledged an entry: deletes it, stores the row, and rebases the later entries on the new revision. */
export async function acknowledge(
  db: AppDatabase,
  entry: OutboxEntry,
  answer: { op: 'edit'; row: Teaching } | { op: 'delete'; rev: number | undefined },
): Promise<void> {
  await write(db, async () => {
    await db.outbox.delete(entry.seq)
    if (answer.op === 'edit') {
      if (await isAhead(db, answer.row.rev)) await db.teachings.put(answer.row)
      await rebaseLaterEntries(db, entry, textOf(answer.row), answer.row.rev)
    } else if (answer.rev !== undefined && (await isAhead(db, answer.rev))) {
      await db.teachings.delete(entry.uid)
    }
  })
}

/**
 * The teaching was changed by somebody else. Changes of different fields are merged and sent as a new mutation; where both
 * changed the same field, and for every deletion, the entry is in conflict and a person decides.
 */
export async function handleConflict(db: AppDatabase, entry: OutboxEntry, current: Teaching): Promise<void> {
  const theirs = textOf(current)
  const result = entry.op === 'edit' ? merge(entry.base, entry.patch, theirs) : undefined
  await write(db, async () => {
    if (result?.outcome === 'nothing left') {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, theirs, current.rev)
    } else if (result?.outcome === 'merged') {
      await db.outbox.update(entry.seq, { ...renewed(theirs, current.rev), patch: result.patch })
    } else {
      await db.outbox.update(entry.seq, { state: 'conflict', current })
    }
  })
}

/**
 * A person resolves a conflict: an edit with the text that the teaching should have, a deletion by confirming it. Sent as
 * a new mutation, on the revision that the person saw.
 */
export async function decide(
  db: AppDatabase,
  mutationId: string,
  decided: TeachingText | 'delete',
): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (!entry?.current) return
    const theirs = textOf(entry.current)
    if (decided === 'delete') {
      await db.outbox.update(entry.seq, { ...renewed(theirs, entry.current.rev), current: undefined })
      return
    }
    const patch = patchBetween(theirs, decided)
    if (Object.keys(patch).length === 0) {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, theirs, entry.current.rev)
    } else {
      await db.outbox.update(entry.seq, {
        ...renewed(theirs, entry.current.rev),
        op: 'edit',
        patch,
        current: undefined,
      })
    }
  })
}

/** Requeues a rejected entry at a person's request. */
export async function tryAgain(db: AppDatabase, mutationId: string): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (entry?.state === 'rejected')
      await db.outbox.update(entry.seq, { state: 'queued', attempts: 0, nextAttemptAt: 0 })
  })
}

/** At signing out: hides the user's blocked entries until they sign in again. */
export async function park(db: AppDatabase, userId: number): Promise<void> {
  await write(db, async () => {
    await db.outbox
      .filter(({ state, ownerUserId }) => state === 'blocked_auth' && ownerUserId === userId)
      .modify({ state: 'queued' })
  })
}

/** Deletes an entry at a person's request, and rebases the later ones on the server's row. */
export async function discard(db: AppDatabase, mutationId: string): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (!entry) return
    await db.outbox.delete(entry.seq)
    const row = entry.current ?? (await db.teachings.get(entry.uid))
    if (row) await rebaseLaterEntries(db, entry, textOf(row), row.rev)
  })
}

/** At signing out: deletes all entries of the user. */
export async function discardAll(db: AppDatabase, userId: number): Promise<void> {
  await write(db, async () => {
    await db.outbox.filter(({ ownerUserId }) => ownerUserId === userId).delete()
  })
}

/** Every write to the outbox is a transaction over the same tables, so that no two interleave. */
export function write<T>(db: AppDatabase, work: () => Promise<T>): Promise<T> {
  return db.transaction('rw', db.outbox, db.teachings, db.meta, async () => {
    await assertMayWrite(db)
    return work()
  })
}

export const find = (db: AppDatabase, mutationId: string): Promise<OutboxEntry | undefined> =>
  db.outbox.where('mutationId').equals(mutationId).first()

async function append(
  db: AppDatabase,
  { id, uid, rev, title }: Teaching,
  what: Pick<OutboxEntry, 'op' | 'base' | 'patch'>,
  { userId, now }: Author,
): Promise<OutboxEntry> {
  return write(db, async () => {
    const entry = {
      mutationId: uuidv7(now),
      teachingId: id,
      uid,
      title,
      ...what,
      baseRev: rev,
      ownerUserId: userId,
      state: 'queued' as const,
      attempts: 0,
      nextAttemptAt: 0,
      createdAt: now,
    }
    const seq = await db.outbox.add(entry)
    return { ...entry, seq }
  })
}

/**
 * Rebases later entries of the same user and teaching, which were made on top of this one. Where the server's row is in
 * conflict with one, that entry keeps its base, and the server's refusal reports the conflict.
 */
async function rebaseLaterEntries(
  db: AppDatabase,
  { seq, uid, ownerUserId }: OutboxEntry,
  row: TeachingText,
  baseRev: number,
): Promise<void> {
  let standing = row
  const lane = db.outbox.where('uid').equals(uid)
  const later = await lane
    .filter((entry) => entry.seq > seq && entry.ownerUserId === ownerUserId)
    .sortBy('seq')
  for (const entry of later) {
    const rebased = rebase(entry, standing)
    if (!rebased) return
    if (rebased === 'nothing left') await db.outbox.delete(entry.seq)
    else await db.outbox.update(entry.seq, { base: standing, baseRev, patch: rebased })
    standing = { ...standing, ...entry.patch }
  }
}

/** The patch of an entry on another base; undefined in a conflict. */
function rebase(
  { op, base, patch }: OutboxEntry,
  standing: TeachingText,
): TeachingPatch | 'nothing left' | undefined {
  if (op === 'delete') return Object.keys(patchBetween(base, standing)).length === 0 ? patch : undefined
  const result = merge(base, patch, standing)
  if (result.outcome === 'conflict') return undefined
  return result.outcome === 'merged' ? result.patch : 'nothing left'
}

const renewed = (base: TeachingText, baseRev: number) => ({
  mutationId: uuidv7(Date.now()),
  base,
  baseRev,
  state: 'queued' as const,
  attempts: 0,
  nextAttemptAt: 0,
})

/** Whether a revision is newer than the replica; a pull may have brought it already. */
async function isAhead(db: AppDatabase, rev: number): Promise<boolean> {
  const cursor = decodeCursor((await readSyncState(db)).cursor)
  return cursor === undefined || rev > cursor.rev
}

function patched(row: Teaching, patch: TeachingPatch): Teaching {
  const { date } = patch
  return { ...row, ...storedWords(patch), ...(date !== undefined && { year: Number(date.slice(0, 4)) }) }
}

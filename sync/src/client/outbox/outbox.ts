import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { decodeCursor } from '../../protocol/cursor.ts'
import {
  storedWords,
  textOf,
  wordNames,
  type TeachingPatch,
  type TeachingText,
} from '@fellowship/schema/teachings/teaching-words'
import { noBackoff } from '../engine/backoff.ts'
import { merge, patchBetween } from '../../protocol/merge.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { AppDatabase, OutboxEntry } from '../database/app-database.ts'
import { isEmpty, laterEntries, rebase, rebaseLaterEntries } from './later-entries.ts'
import { assertMayWrite, readSyncState, writeSyncState } from '../replica/sync-state.ts'

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
  if (isEmpty(patch)) return undefined
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

/**
 * The server acknowledged an entry: deletes it, stores the row, and rebases the later entries on the new revision.
 * Pages that were asked for before are not applied any more.
 */
export async function acknowledge(
  db: AppDatabase,
  entry: OutboxEntry,
  answer: { op: 'edit'; row: Teaching } | { op: 'delete'; rev?: number },
): Promise<void> {
  await write(db, async () => {
    const isStill = (await db.outbox.get(entry.seq))?.mutationId === entry.mutationId
    if (isStill) await db.outbox.delete(entry.seq)
    const state = await readSyncState(db)
    await writeSyncState(db, { ...state, acknowledged: (state.acknowledged ?? 0) + 1 })
    const present = await db.teachings.get(entry.uid)
    // A pull may have brought this revision already, or a later one. A restored server counts anew.
    const isAsSeen = present?.rev === entry.baseRev
    if (answer.op === 'delete') {
      if (isAsSeen || present === undefined || !(present.rev > (answer.rev ?? Infinity)))
        await db.teachings.delete(entry.uid)
      return
    }
    const { row } = answer
    const cursor = decodeCursor(state.cursor)
    const isNewer = present ? row.rev > present.rev : cursor === undefined || row.rev > cursor.rev
    if (isAsSeen || isNewer) await db.teachings.put(row)
    if (isStill) await rebaseLaterEntries(db, entry, row)
  })
}

/**
 * The teaching was changed by somebody else. Changes of different fields are merged and sent as a new mutation; where both
 * changed the same field, and for every deletion, the entry is in conflict and a person decides.
 */
export async function handleConflict(db: AppDatabase, sent: OutboxEntry, current: Teaching): Promise<void> {
  const theirs = textOf(current)
  await write(db, async () => {
    const entry = await db.outbox.get(sent.seq)
    // Another tab, which took over from this one, may have sent it again, and a person may have decided since.
    if (entry?.mutationId !== sent.mutationId || entry.state === 'conflict') return
    const result = entry.op === 'edit' ? merge(entry.base, entry.patch, theirs) : undefined
    if (result?.outcome === 'nothing left') {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, current)
    } else if (result?.outcome === 'merged') {
      await db.outbox.update(entry.seq, { ...renewed(current), patch: result.patch })
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
      await db.outbox.update(entry.seq, { ...renewed(entry.current), current: undefined })
      return
    }
    const patch = patchBetween(theirs, decided)
    if (isEmpty(patch)) {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, entry.current)
    } else {
      await db.outbox.update(entry.seq, {
        ...renewed(entry.current),
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
    if (entry?.state === 'rejected') await db.outbox.update(entry.seq, { state: 'queued', ...noBackoff })
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

/** Deletes an entry at a person's request. Its words leave the later entries, which were made on top of them. */
export async function discard(db: AppDatabase, mutationId: string): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (!entry) return
    await db.outbox.delete(entry.seq)
    const current = entry.current ?? (await db.teachings.get(entry.uid))
    const words = { ...entry.patch }
    let standing = current && (await withEarlierEntries(db, entry, textOf(current)))
    let isBlocked = false
    for (const later of await laterEntries(db, entry)) {
      const { base, patch } = withoutWords(later, words, entry.base)
      if (isBlocked) {
        await db.outbox.update(later.seq, { base, patch })
        continue
      }
      const rebased = standing ? rebase({ ...later, base, patch }, standing) : patch
      if (current && rebased === undefined)
        await db.outbox.update(later.seq, { base, patch, state: 'conflict', current })
      else if (rebased === 'nothing left' || (later.op === 'edit' && isEmpty(rebased!)))
        await db.outbox.delete(later.seq)
      else
        await db.outbox.update(later.seq, {
          patch: rebased!,
          ...(current && standing ? { base: standing, baseRev: current.rev } : { base }),
        })
      // What comes after was made on top of this one too, and waits until it is decided.
      isBlocked = rebased === undefined
      if (standing) standing = { ...standing, ...patch }
    }
  })
}

/** A text as it will be when the entries of the same user and teaching before this one are sent. */
async function withEarlierEntries(
  db: AppDatabase,
  { seq, uid, ownerUserId }: OutboxEntry,
  text: TeachingText,
): Promise<TeachingText> {
  const lane = db.outbox.where('uid').equals(uid)
  const earlier = await lane
    .filter((entry) => entry.seq < seq && entry.ownerUserId === ownerUserId)
    .sortBy('seq')
  return earlier.reduce((standing, { patch }) => ({ ...standing, ...patch }), text)
}

/** An entry as it would be if a discarded one had not put its words under it. */
function withoutWords(
  { base, patch }: OutboxEntry,
  words: TeachingPatch,
  before: TeachingText,
): Pick<OutboxEntry, 'base' | 'patch'> {
  const [cleanBase, cleanPatch] = [{ ...base }, { ...patch }]
  for (const field of wordNames) {
    if (words[field] === undefined) continue
    if ((base[field] ?? '') === words[field]) cleanBase[field] = before[field] ?? ''
    // A later entry has set the field anew, on purpose.
    if (patch[field] === undefined) continue
    delete words[field]
    if (patch[field] === cleanBase[field]) delete cleanPatch[field]
  }
  return { base: cleanBase, patch: cleanPatch }
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
      ...noBackoff,
      createdAt: now,
    }
    const seq = await db.outbox.add(entry)
    return { ...entry, seq }
  })
}

/** For another try on the server's teaching, which may have another number since a restore. */
const renewed = (current: Teaching) => ({
  mutationId: uuidv7(Date.now()),
  teachingId: current.id,
  base: textOf(current),
  baseRev: current.rev,
  state: 'queued' as const,
  ...noBackoff,
})

function patched(row: Teaching, patch: TeachingPatch): Teaching {
  const { date } = patch
  return { ...row, ...storedWords(patch), ...(date !== undefined && { year: Number(date.slice(0, 4)) }) }
}

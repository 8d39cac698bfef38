import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { decodeCursor } from '../../protocol/cursor.ts'
import {
  storedWords,
  textOf,
  wordsIn,
  type TeachingPatch,
  type TeachingText,
} from '@fellowship/schema/teachings/teaching-words'
import { noBackoff } from '../engine/backoff.ts'
import { isSame, merge, patchBetween, type Words } from '../../protocol/merge.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import type {
  AppDatabase,
  NewEntry,
  OutboxEntry,
  SeriesEntry,
  TeachingEntry,
} from '../database/app-database.ts'
import {
  amend,
  isEmpty,
  isOfTeaching,
  kindOf,
  rowOf,
  wordsOf,
  type EntryRow,
  isOfSameLane,
  laterEntries,
  rebase,
  rebaseLaterEntries,
} from './entry-words.ts'
import { assertMayWrite, readSyncState, writeSyncState } from '../replica/sync-state.ts'

/** The outbox: changes that the server has not acknowledged. An entry leaves when it is, or by a person's decision. */

/** The user and the time; `now` in epoch milliseconds. */
export interface Author {
  userId: number
  now: number
}

/** Queues an edit against the screen's state: `shown` is the teaching with its pending changes, `edited` its new text. */
export async function appendEdit(
  db: AppDatabase,
  shown: Teaching,
  edited: TeachingText,
  author: Author,
): Promise<TeachingEntry | undefined> {
  const base = textOf(shown)
  const patch = patchBetween(base, wordsIn(edited))
  if (isEmpty(patch)) return undefined
  return append(db, { ...about(shown), op: 'edit', base, patch }, author)
}

export async function appendDelete(db: AppDatabase, shown: Teaching, author: Author): Promise<TeachingEntry> {
  return append(db, { ...about(shown), op: 'delete', base: textOf(shown), patch: {} }, author)
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
  for (const { uid, op, patch } of pending.filter(isOfTeaching)) {
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
  answer: { op: 'edit'; row: EntryRow } | { op: 'delete'; rev?: number },
): Promise<void> {
  await write(db, async () => {
    const isStill = (await db.outbox.get(entry.seq))?.mutationId === entry.mutationId
    if (isStill) await db.outbox.delete(entry.seq)
    const state = await readSyncState(db)
    await writeSyncState(db, { ...state, acknowledged: (state.acknowledged ?? 0) + 1 })
    const table = db.tableOf(kindOf(entry))
    const present = await table.get(entry.uid)
    // A pull may have brought this revision already, or a later one. A restored server starts a new count.
    const isAsSeen = present?.rev === entry.baseRev
    if (answer.op === 'delete') {
      if (isAsSeen || present === undefined || !(present.rev > (answer.rev ?? Infinity)))
        await table.delete(entry.uid)
      return
    }
    const { row } = answer
    const cursor = decodeCursor(state.cursor)
    // Without a cursor the first snapshot brings it, and until then there are no rows.
    const isNewer = row.rev > (present?.rev ?? cursor?.rev ?? Infinity)
    if (isAsSeen || isNewer) await table.put(row)
    if (isStill) await rebaseLaterEntries(db, entry, row)
  })
}

/**
 * Another person has changed the row of an entry. Changes of different fields are merged and sent as a new mutation;
 * if both changed the same field, and for every deletion, the entry is in conflict and a person decides.
 */
export async function handleConflict(db: AppDatabase, sent: OutboxEntry, current: EntryRow): Promise<void> {
  const theirs = wordsOf(sent, current)
  await write(db, async () => {
    const entry = await db.outbox.get(sent.seq)
    // Another tab, which took over from this one, may have sent it again, and a person may have decided since.
    if (entry?.mutationId !== sent.mutationId || entry.state === 'conflict') return
    const result = entry.op === 'delete' ? undefined : merge<Words>(entry.base, entry.patch, theirs)
    if (result?.outcome === 'nothing left') {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, current)
    } else if (result?.outcome === 'merged') {
      // Also a new series: the server has it already.
      await amend(db, entry.seq, { ...renewed(entry, current), op: 'edit', patch: result.patch })
    } else {
      await amend(db, entry.seq, { state: 'conflict', current })
    }
  })
}

/**
 * A person resolves a conflict: an edit with the text that there should be, a deletion by confirming it. Sent as
 * a new mutation, on the revision that the person saw.
 */
export async function decide(db: AppDatabase, mutationId: string, decided: Words | 'delete'): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (!entry?.current) return
    const theirs = wordsOf(entry, entry.current)
    if (decided === 'delete') {
      await amend(db, entry.seq, { ...renewed(entry, entry.current), current: undefined })
      return
    }
    const patch = patchBetween(theirs, decided)
    if (isEmpty(patch)) {
      await db.outbox.delete(entry.seq)
      await rebaseLaterEntries(db, entry, entry.current)
    } else {
      await amend(db, entry.seq, {
        ...renewed(entry, entry.current),
        op: 'edit',
        patch,
        current: undefined,
      })
    }
  })
}

/**
 * Takes back a deletion that may have been applied on the server if the answer was lost. The row is shown again at once,
 * and the server restores it as soon as it can be reached.
 *
 * @returns false if the deletion is not here any more
 */
export async function takeBackDelete(db: AppDatabase, mutationId: string): Promise<boolean> {
  return write(db, async () => {
    const entry = await find(db, mutationId)
    if (entry?.op !== 'delete') return false
    // As another mutation: the answer to a request that is still under way is not taken for its own.
    const restore = { mutationId: uuidv7(Date.now()), op: 'restore' as const, state: 'queued' as const }
    await amend(db, entry.seq, { ...restore, ...noBackoff, current: undefined })
    return true
  })
}

/** Deletes a queued restore if the server had not deleted the row, or has restored it already. */
export async function dropRestore(db: AppDatabase, { seq, mutationId }: OutboxEntry): Promise<void> {
  await write(db, async () => {
    if ((await db.outbox.get(seq))?.mutationId === mutationId) await db.outbox.delete(seq)
  })
}

/** Requeues a rejected entry at a person's request. */
export async function tryAgain(db: AppDatabase, mutationId: string): Promise<void> {
  await write(db, async () => {
    const entry = await find(db, mutationId)
    if (entry?.state === 'rejected') await amend(db, entry.seq, { state: 'queued', ...noBackoff })
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
    const current = entry.current ?? (await rowOf(db, entry))
    const later = await laterEntries(db, entry)
    // There is nothing that they could change.
    if (entry.op === 'create' && !current) await db.outbox.bulkDelete(later.map(({ seq }) => seq))
    else await leaveOut(db, entry, current, later)
  })
}

/** Takes the words of a discarded entry out of the later ones. `current`: the row as it is now, undefined if it is gone. */
async function leaveOut(
  db: AppDatabase,
  entry: OutboxEntry,
  current: EntryRow | undefined,
  laterOnes: readonly OutboxEntry[],
): Promise<void> {
  const words: Record<string, Words[string]> = { ...entry.patch }
  // If the row is gone, the later ones stand on the base of this one, revision and words alike: with the words of
  // one revision and the number of another, a restored server would let them overwrite words that no user saw.
  const baseRev = (current ?? { rev: entry.baseRev }).rev
  let standing = current ? await withEarlierEntries(db, entry, wordsOf(entry, current)) : entry.base
  let isBlocked = false
  for (const later of laterOnes) {
    const { base, patch } = withoutWords(later, words, entry.base)
    if (isBlocked) {
      await amend(db, later.seq, { base, patch })
      continue
    }
    const rebased = current ? rebase({ op: later.op, base, patch }, standing) : patchBetween(standing, patch)
    if (current && rebased === undefined)
      await amend(db, later.seq, { base, patch, state: 'conflict', current })
    else if (rebased === 'nothing left' || (later.op === 'edit' && isEmpty(rebased!)))
      await db.outbox.delete(later.seq)
    else await amend(db, later.seq, { patch: rebased!, base: standing, baseRev })
    // Later entries were made on top of this one too, and wait until it is decided.
    isBlocked = rebased === undefined
    standing = { ...standing, ...patch }
  }
}

/** A text as it will be when the entries of the same user and teaching before this one are sent. */
async function withEarlierEntries(db: AppDatabase, entry: OutboxEntry, text: Words): Promise<Words> {
  const lane = db.outbox.where('uid').equals(entry.uid)
  const earlier = await lane.filter((each) => each.seq < entry.seq && isOfSameLane(each, entry)).sortBy('seq')
  return earlier.reduce<Words>((standing, { patch }) => ({ ...standing, ...patch }), text)
}

/** An entry as it would be if a discarded one had not put its words under it. */
function withoutWords(
  { base, patch }: { base: Words; patch: Words },
  words: Record<string, Words[string]>,
  before: Words,
): { base: Words; patch: Words } {
  const [cleanBase, cleanPatch] = [{ ...base }, { ...patch }]
  for (const [field, word] of Object.entries(words)) {
    if (word === undefined) continue
    if (isSame(base[field], word)) cleanBase[field] = before[field] ?? ''
    // A later entry has set the field again, on purpose.
    if (patch[field] === undefined) continue
    delete words[field]
    if (isSame(patch[field], cleanBase[field])) delete cleanPatch[field]
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
  return db.transaction('rw', db.outbox, db.teachings, db.series, db.meta, async () => {
    await assertMayWrite(db)
    return work()
  })
}

export const find = (db: AppDatabase, mutationId: string): Promise<OutboxEntry | undefined> =>
  db.outbox.where('mutationId').equals(mutationId).first()

/** The first state of an entry, without its row. */
type EntryState = 'mutationId' | 'ownerUserId' | 'state' | 'createdAt' | keyof typeof noBackoff

/** Adds an entry at the end of the outbox. */
export async function append<Entry extends TeachingEntry | SeriesEntry>(
  db: AppDatabase,
  what: Omit<Entry, 'seq' | EntryState>,
  { userId, now }: Author,
): Promise<Entry> {
  return write(db, async () => {
    const entry = {
      mutationId: uuidv7(now),
      ...what,
      base: await presentBase(db, { ...what, ownerUserId: userId }),
      ownerUserId: userId,
      state: 'queued' as const,
      ...noBackoff,
      createdAt: now,
    }
    const seq = await db.outbox.add(entry as unknown as NewEntry)
    return { ...entry, seq } as unknown as Entry
  })
}

/**
 * The words that an edit starts from. A form that was open for long may show those of an entry that was discarded since: where
 * the person left them as they are, the present ones count.
 */
async function presentBase(
  db: AppDatabase,
  what: Pick<OutboxEntry, 'kind' | 'uid' | 'op' | 'ownerUserId'> & {
    base: Words
    patch: Words
    baseRev: number
  },
): Promise<Words> {
  const { op, base, patch, baseRev } = what
  const row = await rowOf(db, what)
  if (op !== 'edit' || row?.rev !== baseRev) return base
  const pending = await laterEntries(db, { seq: 0, ...what })
  const present = pending.reduce((words: Words, entry) => ({ ...words, ...entry.patch }), wordsOf(what, row))
  const untouched = Object.keys(base).filter((field) => !(field in patch) && field in present)
  return { ...base, ...Object.fromEntries(untouched.map((field) => [field, present[field]!])) }
}

const about = ({ id, uid, rev, title }: Teaching) => ({ teachingId: id, uid, baseRev: rev, title })

/** For another try on the server's row; a teaching may have another number since a restore. */
const renewed = (entry: OutboxEntry, current: EntryRow) => ({
  mutationId: uuidv7(Date.now()),
  ...(isOfTeaching(entry) && { teachingId: (current as Teaching).id }),
  base: wordsOf(entry, current),
  baseRev: current.rev,
  state: 'queued' as const,
  ...noBackoff,
})

function patched(row: Teaching, patch: TeachingPatch): Teaching {
  const { date } = patch
  return { ...row, ...storedWords(patch), ...(date !== undefined && { year: Number(date.slice(0, 4)) }) }
}

import { listeningFileHead, type ListeningFile } from '@fellowship/schema/listening/listening-file'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { isSameRow } from '../../protocol/listening-changes.ts'
import { mergeMarks, mergeNotes, mergePositions } from '../../protocol/listening-merge.ts'
import { changeUpNext, upNextOrder } from '../../protocol/up-next.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { markUnsent, playedKey, readAgain, writeOwner } from './listening-accounts.ts'
import { markOf } from './up-next.store.ts'

/**
 * Everything of this device's listening, as a file; removed notes and marks that were never set are not in it.
 *
 * @param now epoch milliseconds
 */
export async function exportListening(
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<ListeningFile> {
  return db.transaction('r', [...db.listeningTables, db.teachings], async () => {
    const [positions, marks, notes, upNext] = await Promise.all([
      db.positions.toArray(),
      db.marks.toArray(),
      db.notes.toArray(),
      db.upNext.toArray(),
    ])
    const order = upNextOrder(upNext)
    const uids = [...new Set([...positions, ...marks, ...notes].map(({ uid }) => uid).concat(order))]
    const teachings = new Map(
      (await db.teachings.bulkGet(uids)).flatMap((each) => (each ? [[each.uid, each]] : [])),
    )
    const named = <Row extends { uid: string }>(row: Row) => ({ ...wordsOf(teachings.get(row.uid)), ...row })
    return {
      ...listeningFileHead,
      exportedAt: new Date(now).toISOString(),
      positions: positions.map((row) => named({ ...row, earlier: [...row.earlier] })),
      marks: marks.map(named),
      notes: notes.flatMap(({ removed, ...note }) => (removed ? [] : [named(note)])),
      upNext: order.map((uid) => named({ uid })),
    }
  })
}

const wordsOf = (teaching: Teaching | undefined) =>
  teaching && { title: teaching.title, speaker: teaching.speaker, date: teaching.date }

/** How many rows of each list a file has brought or changed. */
export interface Imported {
  positions: number
  marks: number
  notes: number
  upNext: number
}

/**
 * Merges a file into the rows of this device: the later of two wins. Writes all of it, or nothing if it fails.
 *
 * @param now epoch milliseconds; a file of a device whose clock is fast brings nothing from the future
 */
export async function importListening(
  file: ListeningFile,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<Imported> {
  return db.transaction('rw', [...db.listeningTables, ...db.unsentTables], async () => {
    const past = (at: number) => Math.min(at, now)
    const positions = await mergeInto(
      db.positions,
      file.positions.map(({ uid, seconds, duration, listenedAt, earlier }) => ({
        uid,
        seconds,
        duration,
        listenedAt: past(listenedAt),
        earlier: earlier.map((place) => ({ ...place, listenedAt: past(place.listenedAt) })),
      })),
      ({ uid }) => uid,
      (mine, other) => ({ uid: mine.uid, ...mergePositions(mine, other) }),
    )
    const marks = await mergeInto(
      db.marks,
      file.marks.map(({ uid, favourite, heard }) => ({
        uid,
        ...(favourite && { favourite: { ...favourite, at: past(favourite.at) } }),
        ...(heard && { heard: { ...heard, at: past(heard.at) } }),
      })),
      ({ uid }) => uid,
      (mine, other) => ({ uid: mine.uid, ...mergeMarks(mine, other) }),
    )
    const notes = await mergeInto(
      db.notes,
      file.notes.map(({ id, uid, seconds, text, createdAt, changedAt }) => ({
        id,
        uid,
        seconds,
        text,
        createdAt: past(createdAt),
        changedAt: past(changedAt),
        removed: false,
      })),
      ({ id }) => id,
      mergeNotes,
    )
    const uids = file.upNext.map(({ uid }) => uid)
    const added = changeUpNext(await db.upNext.toArray(), { type: 'addToEnd', uids }, now)
    await db.upNext.bulkPut([...added])
    // A moment that had to be moved to now is as old as this change; the others are taken as they are in the file.
    const moved = (keys: readonly string[]) => keys.map((key) => ({ key, moment: now }))
    await markUnsent(db, 'position', moved(positions), { at: now })
    await markUnsent(db, 'marks', moved(marks), { at: now })
    await markUnsent(db, 'note', moved(notes), { at: now })
    await markUnsent(db, 'upNext', added.map(markOf), { at: now })
    return {
      positions: positions.length,
      marks: marks.length,
      notes: notes.length,
      upNext: added.length,
    }
  })
}

/**
 * Deletes the rows that the device shows, and the anonymous ones. Rows that the account keeps come again, after a sign-out with
 * the next sign-in.
 */
export async function deleteListening(db: AppDatabase = appDatabase()): Promise<void> {
  await db.transaction('rw', [...db.listeningTables, ...db.unsentTables, db.inactiveListening], async () => {
    for (const table of [...db.listeningTables, db.unsentListening]) await table.clear()
    await db.inactiveListening.where('owner').equals(0).delete()
    const userId = await db.signedInUser()
    if (userId !== undefined) await readAgain(db, userId)
    await writeOwner(db, userId ?? 0)
    await db.meta.delete(playedKey)
  })
}

interface Rows<Row> {
  bulkGet: (keys: string[]) => PromiseLike<(Row | undefined)[]>
  bulkPut: (rows: Row[]) => PromiseLike<unknown>
}

/** Resolves with the keys of the rows that are new or other than they were. */
async function mergeInto<Row>(
  table: Rows<Row>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  merge: (mine: Row, other: Row) => Row,
): Promise<string[]> {
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const known = byKey.get(keyOf(row))
    byKey.set(keyOf(row), known ? merge(known, row) : row)
  }
  const before = await table.bulkGet([...byKey.keys()])
  const changed = [...byKey.values()].flatMap((row, at) => {
    const mine = before[at]
    const merged = mine ? merge(mine, row) : row
    return mine && isSameRow(mine, merged) ? [] : [merged]
  })
  await table.bulkPut(changed)
  return changed.map(keyOf)
}

import {
  advancePosition,
  type ListeningMoment,
  type ListeningPosition,
} from '@fellowship/schema/listening/listening-position'
import { appDatabase, type AppDatabase, type PositionRow, type MarksRow } from '../database/app-database.ts'
import { markUnsent } from './listening-accounts.ts'
import {
  comesNearEnd,
  type ListeningMarks,
  type MarkChoice,
  type MarkName,
  isHeard,
  isUnfinished,
} from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { bySecond } from './notes.store.ts'

/** The listening position in a teaching. For live queries. */
export function readPosition(uid: string, db: AppDatabase = appDatabase()): Promise<PositionRow | undefined> {
  return db.positions.get(uid)
}

/** All positions, last listened first. For live queries. */
export async function readPositions(db: AppDatabase = appDatabase()): Promise<PositionRow[]> {
  return (await db.positions.toArray()).sort((a, b) => b.listenedAt - a.listenedAt)
}

/** Saves a listening position, and marks the teaching as heard near its end. A moment older than the saved one is ignored. */
export async function notePosition(
  uid: string,
  moment: ListeningMoment,
  db: AppDatabase = appDatabase(),
): Promise<ListeningPosition | undefined> {
  return db.transaction('rw', [db.positions, db.marks, ...db.unsentTables], async () => {
    const saved = await db.positions.get(uid)
    // The server's clock, or this one before it was set back, was ahead of this device.
    const isAhead = saved !== undefined && saved.listenedAt > Date.now()
    const at = isAhead ? Math.max(moment.at, saved.listenedAt + 1) : moment.at
    const position = advancePosition(saved, { ...moment, at })
    if (position && position !== saved) {
      await db.positions.put({ ...position, uid })
      await markUnsent(db, 'position', [{ key: uid, moment: at }], {
        at: moment.at,
        base: saved?.listenedAt,
        atOnce: moment.stopped,
      })
      await markHeard(uid, { before: saved, now: position, at: moment.at }, db)
    }
    return position
  })
}

/** The marks of all teachings. For live queries. */
export function readMarks(db: AppDatabase = appDatabase()): Promise<MarksRow[]> {
  return db.marks.toArray()
}

/**
 * Sets or removes a mark.
 *
 * @param now epoch milliseconds
 */
export async function writeMark(
  uid: string,
  name: MarkName,
  on: boolean,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<void> {
  await db.transaction('rw', [db.marks, ...db.unsentTables], async () =>
    setMark(uid, name, { on, at: now }, db),
  )
}

/**
 * Marks a teaching as heard if listening has just come near its end. Call it inside the transaction of the position.
 *
 * @param at epoch milliseconds
 */
async function markHeard(
  uid: string,
  { before, now, at }: { before: ListeningPosition | undefined; now: ListeningPosition; at: number },
  db: AppDatabase,
): Promise<void> {
  if (comesNearEnd(before, now)) await setMark(uid, 'heard', { on: true, at }, db)
}

async function setMark(uid: string, name: MarkName, { on, at }: MarkChoice, db: AppDatabase): Promise<void> {
  const marks = (await db.marks.get(uid)) ?? { uid }
  const chosen = { on, at: later(marks[name], at) }
  await db.marks.put({ ...marks, [name]: chosen })
  await markUnsent(db, 'marks', [{ key: uid, moment: chosen.at }], { at })
}

/** A choice is later than the one before it, even if the clock was set back. */
const later = (before: ListeningMarks['heard'], now: number): number => Math.max(now, (before?.at ?? 0) + 1)

/** A person's places, marks and notes on this device, of the teachings in the library. */
export interface MyListening {
  /** Begun and not heard to the end, last listened first. */
  unfinished: readonly { teaching: Teaching; position: PositionRow }[]
  /** Marked last first. */
  favourites: readonly Teaching[]
  /** By teaching, the one written about last first; its notes in its order. */
  notes: readonly { teaching: Teaching; notes: readonly ListeningNote[] }[]
  /** Heard last first. */
  heard: readonly Teaching[]
}

/** For live queries. */
export async function readMyListening(db: AppDatabase = appDatabase()): Promise<MyListening> {
  return db.transaction('r', db.positions, db.marks, db.notes, db.teachings, async () => {
    const [positions, marks, allNotes] = await Promise.all([
      readPositions(db),
      db.marks.toArray(),
      db.notes.toArray(),
    ])
    const notes = allNotes.filter(({ removed }) => !removed)
    const uids = new Set([...positions, ...marks, ...notes].map(({ uid }) => uid))
    const found = await db.teachings.bulkGet([...uids])
    const teachings = new Map(found.flatMap((teaching) => (teaching ? [[teaching.uid, teaching]] : [])))
    const marksOf = new Map(marks.map((row) => [row.uid, row]))
    const positionOf = new Map(positions.map((row) => [row.uid, row]))
    const inLibrary = (listed: readonly { uid: string; at: number }[]) =>
      listed.toSorted((a, b) => b.at - a.at).flatMap(({ uid }) => teachings.get(uid) ?? [])
    return {
      unfinished: positions.flatMap((position) => {
        const teaching = teachings.get(position.uid)
        return teaching?.audioUrl && isUnfinished(position, marksOf.get(position.uid))
          ? [{ teaching, position }]
          : []
      }),
      favourites: inLibrary(
        marks.flatMap(({ uid, favourite }) => (favourite?.on ? [{ uid, at: favourite.at }] : [])),
      ),
      notes: inLibrary(lastWritten(notes)).map((teaching) => ({
        teaching,
        notes: notes.filter(({ uid }) => uid === teaching.uid).sort(bySecond),
      })),
      heard: inLibrary(
        [...uids].flatMap((uid) => {
          const [position, mark] = [positionOf.get(uid), marksOf.get(uid)]
          return isHeard(position, mark) ? [{ uid, at: mark?.heard?.at ?? position?.listenedAt ?? 0 }] : []
        }),
      ),
    }
  })
}

/** Each teaching once, with the moment of its last note. */
function lastWritten(notes: readonly ListeningNote[]): { uid: string; at: number }[] {
  const last = new Map<string, number>()
  for (const { uid, changedAt } of notes) last.set(uid, Math.max(changedAt, last.get(uid) ?? 0))
  return [...last].map(([uid, at]) => ({ uid, at }))
}

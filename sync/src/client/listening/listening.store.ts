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
} from '@fellowship/schema/listening/listening-marks'

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

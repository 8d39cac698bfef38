import {
  comesNearEnd,
  type ListeningMarks,
  type MarkChoice,
  type MarkName,
} from '@fellowship/schema/listening/listening-marks'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import { appDatabase, type AppDatabase, type MarksRow } from '../database/app-database.ts'
import { markUnsent } from './listening-accounts.ts'

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
export async function markHeard(
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

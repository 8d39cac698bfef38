import {
  advancePosition,
  type ListeningMoment,
  type ListeningPosition,
} from '@fellowship/schema/listening/listening-position'
import { appDatabase, type AppDatabase, type PositionRow } from '../database/app-database.ts'
import { markUnsent } from './listening-accounts.ts'
import { markHeard } from './marks.store.ts'

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

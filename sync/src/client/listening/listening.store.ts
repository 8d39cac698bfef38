import {
  advancePosition,
  type ListeningMoment,
  type ListeningPosition,
} from '@fellowship/schema/listening/listening-position'
import { appDatabase, type AppDatabase, type PositionRow } from '../database/app-database.ts'
import { stamped } from './listening-clock.ts'
import { markUnsent } from './listening-rows.ts'
import { markHeard } from './marks.store.ts'

/** The listening position in a teaching. For live queries. */
export function readPosition(uid: string, db: AppDatabase = appDatabase()): Promise<PositionRow | undefined> {
  return db.positions.get(uid)
}

/** All positions, last listened first. For live queries. */
export async function readPositions(db: AppDatabase = appDatabase()): Promise<PositionRow[]> {
  return (await db.positions.toArray()).sort((a, b) => b.listenedAt - a.listenedAt)
}

/** Saves a listening position, and marks as heard what comes near its end; two tabs at once cannot overwrite a newer one with an older. */
export async function notePosition(
  uid: string,
  moment: ListeningMoment,
  db: AppDatabase = appDatabase(),
): Promise<ListeningPosition | undefined> {
  return db.transaction('rw', [db.positions, db.marks, ...db.unsentTables], async () => {
    const saved = await db.positions.get(uid)
    const at = await stamped(db, moment.at)
    // Stamped by a clock that was ahead and has been set back since: nobody listened later than now.
    const isAhead = saved !== undefined && saved.listenedAt > (await stamped(db, Date.now()))
    const before = isAhead ? { ...saved, listenedAt: Math.min(saved.listenedAt, at) } : saved
    const position = advancePosition(before, { ...moment, at })
    if (position && position !== before) {
      await db.positions.put({ ...position, uid })
      await markUnsent(db, 'position', [uid], at, saved?.listenedAt)
      await markHeard(uid, saved, position, db)
    }
    return position
  })
}

import { isHeard, isUnfinished } from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase, type AppDatabase, type PositionRow } from '../database/app-database.ts'
import { readPositions } from './listening.store.ts'
import { bySecond } from './notes.store.ts'

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

import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { ListeningKind } from '@fellowship/schema/listening/listening.schema'
import type { UpNextEntry } from '../../protocol/up-next.ts'
import { appDatabase, type AppDatabase, type MarksRow, type PositionRow } from '../database/app-database.ts'

/** A row of listening without an owner: made on this device without a sign-in, or by an earlier build. */
export interface AnonymousEntry {
  /** Its kind and its key. */
  id: string
  kind: ListeningKind
  /** The teaching's. */
  uid: string
  /** The teaching's; undefined if it has left the library. */
  title?: string | undefined
  /** The words of a note. */
  words?: string
  /** The last change, epoch milliseconds of the device. */
  at: number
}

/**
 * The anonymous rows that are not shown now, the last changed first; removed notes and entries and unset marks are left out. For
 * live queries.
 */
export async function readAnonymous(db: AppDatabase = appDatabase()): Promise<AnonymousEntry[]> {
  const rows = await db.inactiveListening.where('owner').equals(0).toArray()
  const listed = rows.flatMap(({ kind, key, row }) => {
    const about = aboutRow[kind](row)
    return about ? [{ id: `${kind} ${key}`, kind, ...about }] : []
  })
  const teachings = await db.teachings.bulkGet(listed.map(({ uid }) => uid))
  return listed.map((entry, at) => ({ ...entry, title: teachings[at]?.title })).sort((a, b) => b.at - a.at)
}

type About = { uid: string; at: number; words?: string } | undefined

const aboutRow: Record<ListeningKind, (row: unknown) => About> = {
  position: (row) => {
    const { uid, listenedAt } = row as PositionRow
    return { uid, at: listenedAt }
  },
  marks: (row) => {
    const { uid, favourite, heard } = row as MarksRow
    const set = [favourite, heard].flatMap((choice) => (choice?.on ? choice.at : []))
    return set.length > 0 ? { uid, at: Math.max(...set) } : undefined
  },
  note: (row) => {
    const { uid, changedAt, text, removed } = row as ListeningNote
    return removed ? undefined : { uid, at: changedAt, words: text }
  },
  upNext: (row) => {
    const { uid, changedAt, removed } = row as UpNextEntry
    return removed ? undefined : { uid, at: changedAt }
  },
}

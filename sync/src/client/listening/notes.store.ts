import { noteText, type ListeningNote } from '@fellowship/schema/listening/listening-note'
import { uuidv7 } from '../../protocol/uuid.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { markUnsent } from './listening-accounts.ts'

/** The notes about a teaching, in its order. For live queries. */
export async function readNotes(uid: string, db: AppDatabase = appDatabase()): Promise<ListeningNote[]> {
  const notes = await db.notes.where('uid').equals(uid).toArray()
  return notes.filter(({ removed }) => !removed).sort(bySecond)
}

export const bySecond = (a: ListeningNote, b: ListeningNote): number =>
  a.seconds - b.seconds || a.createdAt - b.createdAt

/** A new note, or other words for the one of this id. */
export interface NoteWords {
  id?: string | undefined
  uid: string
  seconds: number
  text: string
}

/**
 * Writes a note.
 *
 * @param now epoch milliseconds
 * @throws ZodError with a sentence if the text is empty or too long
 */
export async function writeNote(
  { id, uid, seconds, text }: NoteWords,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<void> {
  const words = noteText.parse(text)
  await db.transaction('rw', [db.notes, ...db.unsentTables], async () => {
    const before = id === undefined ? undefined : await db.notes.get(id)
    await put(
      before
        ? { ...before, text: words, removed: false, changedAt: later(before, now) }
        : { id: uuidv7(now), uid, seconds, text: words, createdAt: now, changedAt: now, removed: false },
      now,
      db,
    )
  })
}

/** Removes a note; its words go, a tombstone stays. Resolves with the note as it was, to put it back. */
export async function removeNote(
  id: string,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<ListeningNote | undefined> {
  return db.transaction('rw', [db.notes, ...db.unsentTables], async () => {
    const before = await db.notes.get(id)
    if (before) await put({ ...before, text: '', removed: true, changedAt: later(before, now) }, now, db)
    return before
  })
}

async function put(note: ListeningNote, at: number, db: AppDatabase): Promise<void> {
  await db.notes.put(note)
  await markUnsent(db, 'note', [{ key: note.id, moment: note.changedAt }], { at })
}

const later = (before: ListeningNote, now: number): number => Math.max(now, before.changedAt + 1)

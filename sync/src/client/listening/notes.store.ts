import { noteText, type ListeningNote } from '@fellowship/schema/listening/listening-note'
import { uuidv7 } from '../../protocol/uuid.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { markUnsent, readOwner } from './listening-accounts.ts'

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
  /** The words that the person saw when the edit began. */
  seen?: string | undefined
  /** The person whose listening was shown then: the note is theirs, also if another person has signed in meanwhile. */
  owner?: number | undefined
}

/**
 * Writes a note. If other words have replaced those that the person saw, or the note was removed meanwhile, the new words become
 * a note beside it.
 *
 * @param now epoch milliseconds
 * @returns whether it was written beside other words
 * @throws ZodError with a sentence if the text is empty or too long
 */
export async function writeNote(
  { id, uid, seconds, text, seen, owner }: NoteWords,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<boolean> {
  const words = noteText.parse(text)
  return db.transaction('rw', [db.notes, ...db.unsentTables, db.inactiveListening], async () => {
    const shown = await readOwner(db)
    const of = owner ?? shown
    const inactive = async (key: string) => (await db.inactiveListening.get([of, 'note', key]))?.row
    const known = id === undefined ? undefined : await (of === shown ? db.notes.get(id) : inactive(id))
    const before = known as ListeningNote | undefined
    const isOther = seen !== undefined && before !== undefined && ![seen, words].includes(before.text)
    await put(
      before && !isOther
        ? { ...before, text: words, removed: false, changedAt: later(before, now) }
        : { id: uuidv7(now), uid, seconds, text: words, createdAt: now, changedAt: now, removed: false },
      now,
      db,
      of === shown ? undefined : of,
    )
    return isOther
  })
}

/** Removes a note; its words go, a tombstone stays. Resolves with the note as it was and its owner, to put it back. */
export async function removeNote(
  id: string,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<(ListeningNote & { owner: number }) | undefined> {
  return db.transaction('rw', [db.notes, ...db.unsentTables], async () => {
    const before = await db.notes.get(id)
    if (!before) return undefined
    await put({ ...before, text: '', removed: true, changedAt: later(before, now) }, now, db)
    return { ...before, owner: await readOwner(db) }
  })
}

async function put(note: ListeningNote, at: number, db: AppDatabase, inactiveOf?: number): Promise<void> {
  const [key, moment] = [note.id, note.changedAt]
  if (inactiveOf === undefined) {
    await db.notes.put(note)
    await markUnsent(db, 'note', [{ key, moment }], { at })
  } else {
    const unsent = { kind: 'note', key, own: [{ moment, at }], nonce: uuidv7(at) } as const
    await db.inactiveListening.put({ owner: inactiveOf, kind: 'note', key, row: note, unsent })
  }
}

const later = (before: ListeningNote, now: number): number => Math.max(now, before.changedAt + 1)

import type { StoredKind } from './blob-store.ts'

/**
 * Notes of files that were put into the blob store and whose rows are not written yet. After a crash they tell which files may be
 * without a row.
 */
export interface SettlementNotes {
  /** Notes a file before it is put there; survives a crash. Returns what removes the note. */
  note(kind: StoredKind, name: string): Promise<() => Promise<void>>
}

import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/connection.ts'
import type { SettlementNotes } from '../../machine/storage/settlement-notes.ts'
import { storedKinds } from '../../machine/storage/storage.ts'
import { recordingKey } from '../audio/audio.ts'
import { deleteSettlement, insertSettlement, settlements } from './settlements.sql.ts'
import { isRecordingReferenced } from './uploads.sql.ts'

/** Notes in the database, for a bucket that several processes share: the others clear up after one that does not come back. */
export const sharedNotes = (sql: Database, owner: string): SettlementNotes => ({
  async note(kind, name) {
    const id = randomUUID()
    await insertSettlement(sql, { id, kind, name, owner })
    // Where that fails the note is checked against the rows, after this process has ended.
    return () => deleteSettlement(sql, id).catch(() => undefined)
  },
})

/** Removes files that processes which ended put into the bucket, and whose rows were never written. Returns how many. */
export async function clearSettlements({ sql, storage, locks }: Context): Promise<number> {
  let removed = 0
  for (const { id, kind, name, owner } of await settlements(sql)) {
    if (owner === locks.owner || (await locks.isAlive(owner))) continue
    const known = storedKinds.find((candidate) => candidate === kind)
    const isRemoved =
      known === 'audio' &&
      (await locks.run(recordingKey(name.slice(0, 64)), async () =>
        (await isRecordingReferenced(sql, name.slice(0, 64))) ? false : storage.remove(known, name),
      ))
    if (isRemoved) removed += 1
    await deleteSettlement(sql, id)
  }
  return removed
}

import type { ListeningChange, ListeningKind } from '@fellowship/schema/listening/listening.schema'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { AppDatabase } from '../database/app-database.ts'
import { readAccount, readOwner } from './listening-owner.ts'

export async function readChange(
  db: AppDatabase,
  kind: ListeningKind,
  key: string,
): Promise<ListeningChange | undefined> {
  const row = await db.listeningTableOf(kind).get(key)
  return row === undefined ? undefined : ({ kind, row } as ListeningChange)
}

export const putChange = (db: AppDatabase, { kind, row }: ListeningChange): PromiseLike<unknown> =>
  db.listeningTableOf(kind).put(row)

/** Every row that the device shows. */
export async function readChanges(db: AppDatabase): Promise<ListeningChange[]> {
  const rows = await Promise.all(
    kinds.map(async (kind) => (await db.listeningTableOf(kind).toArray()).map((row) => ({ kind, row }))),
  )
  return rows.flat() as ListeningChange[]
}

/**
 * Notes that rows were changed, so that they are sent where they are kept with an account. Call it inside the transaction
 * of the change.
 *
 * @param at when, as it was stamped
 * @param base the place that a listening went on from, as it was stamped
 */
export async function markUnsent(
  db: AppDatabase,
  kind: ListeningKind,
  keys: readonly string[],
  at: number,
  base?: number,
): Promise<void> {
  const owner = await readOwner(db)
  if (owner === 0 || !(await readAccount(db, owner))?.on) return
  const known = await db.unsentListening.bulkGet(keys.map((key) => [kind, key]))
  await db.unsentListening.bulkPut(
    keys.map((key, index) => {
      const before = known[index]
      const from = before ? before.base : base
      return {
        kind,
        key,
        since: Math.min(at, before?.since ?? at),
        nonce: uuidv7(Date.now()),
        ...(from !== undefined && { base: from }),
      }
    }),
  )
}

const kinds: readonly ListeningKind[] = ['position', 'marks', 'note', 'upNext']

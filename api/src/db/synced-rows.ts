import { rowSchemas, type Kind } from '@fellowship/schema/sync/sync.schema'
import type { Context } from '../context.ts'
import { inTransaction, type Database, type Sql, type Transaction } from './connection.ts'

/** The columns of a synced kind's rows, in the order of the wire. */
export const rowColumns = (sql: Sql, kind: Kind) => sql(Object.keys(rowSchemas[kind].shape))

/** Runs a change of synced rows in a transaction, one change at a time, and notifies devices. */
export async function changeRows<T>(
  { sql, changes }: Pick<Context, 'sql' | 'changes'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done = await inTransaction(sql, async (tx) => {
    await lockForWriting(tx)
    return work(tx)
  })
  changes.announce()
  return done
}

/**
 * Allocates the revision of this transaction and takes the lock that serializes writers of synced rows. Call it before
 * reading rows that the write depends on.
 */
export async function lockForWriting(tx: Transaction): Promise<void> {
  await tx`select sync_alloc()`
}

/** Rows in the bin, and those among them that were deleted more than `days` ago. */
export async function binCounts(
  sql: Database,
  table: 'series' | 'teachings',
  days: number,
): Promise<{ due: number; total: number }> {
  const [row] = await sql<{ due: number; total: number }[]>`
    select count(*)::int as total,
      (count(*) filter (where deleted_at < now() - make_interval(days => ${days})))::int as due
    from ${sql(table)} where deleted_at is not null`
  return row!
}

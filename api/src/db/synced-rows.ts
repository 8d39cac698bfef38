import { rowSchemas, type Kind } from '@fellowship/schema/sync/sync.schema'
import { Problem } from '@fellowship/schema/problem'
import { type Present, refusalFor, type Target } from '@fellowship/sync/server/mutation'
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

/**
 * The row that a change was made for. Call it after `lockForWriting`.
 *
 * @param texts the sentences for a missing row, and for one changed by another person since
 * @throws Problem `not_found`, `revision_conflict` (with `current`)
 */
export function assertTarget<Row extends Present>(
  current: Row | undefined,
  target: Target,
  texts: { readonly gone: string; readonly changed: string },
): Row {
  const refusal = refusalFor(current, target)
  if (!current || refusal === 'not_found') throw new Problem('not_found', texts.gone)
  if (refusal) throw new Problem('revision_conflict', texts.changed, { current })
  return current
}

/** Bytes of these columns in all rows of a table. */
export async function textBytes(
  sql: Sql,
  table: 'teachings' | 'elders',
  columns: readonly string[],
): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(octet_length(concat(${sql(columns)}))), 0)::bigint as bytes from ${sql(table)}`
  return row!.bytes
}

/** Rows in the bin, and those among them that were deleted more than `days` ago. */
export async function binCounts(
  sql: Database,
  table: 'events' | 'notices' | 'pages' | 'series' | 'teachings' | 'transcripts',
  days: number,
): Promise<{ due: number; total: number }> {
  const [row] = await sql<{ due: number; total: number }[]>`
    select count(*)::int as total,
      (count(*) filter (where deleted_at < now() - make_interval(days => ${days})))::int as due
    from ${sql(table)} where deleted_at is not null`
  return row!
}

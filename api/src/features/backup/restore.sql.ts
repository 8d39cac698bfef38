import type { Database, Transaction } from '../../db/connection.ts'

/** Counts the teachings, elders and accounts that a restore would replace. */
export async function presentRows(
  sql: Database,
): Promise<{ teachings: number; elders: number; users: number }> {
  const [row] = await sql<{ teachings: number; elders: number; users: number }[]>`
    select (select count(*)::int from teachings) as teachings, (select count(*)::int from elders) as elders,
      (select count(*)::int from users) as users`
  return row!
}

/**
 * Replaces all rows, ends all sessions and begins a new sync epoch, so that devices take a snapshot.
 *
 * @param tables in insertion order: referenced tables first
 * @returns the number of rows by table
 */
export async function replaceRows(
  tx: Transaction,
  tables: readonly string[],
  rowsByTable: Readonly<Record<string, readonly Record<string, unknown>[]>>,
): Promise<Record<string, number>> {
  await tx`delete from sessions`
  for (const table of tables) await tx`truncate table ${tx(table)} cascade`
  // Every file was compared with its hash while it was restored.
  await tx`truncate table sync_change, sync_mutation, recording_checks`
  await beginEpoch(tx, rowsByTable)
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const rows = rowsByTable[table] ?? []
    const columns = await columnsOf(tx, table)
    for (let at = 0; at < rows.length; at += batch)
      await insertRows(tx, table, columns, rows.slice(at, at + batch))
    if (columns.includes('id')) await advanceSequence(tx, table)
    const [counted] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(table)}`
    counts[table] = counted!.count
  }
  return counts
}

/** Never reuses a revision: a queued edit of a state that is gone must not pass for an edit of the restored one. */
async function beginEpoch(
  tx: Transaction,
  rowsByTable: Readonly<Record<string, readonly Record<string, unknown>[]>>,
): Promise<void> {
  let newest = 0
  for (const rows of Object.values(rowsByTable)) {
    for (const { rev } of rows) if (typeof rev === 'number') newest = Math.max(newest, rev)
  }
  await tx`update sync_clock set epoch = gen_random_uuid(), rev = greatest(rev, ${newest}::bigint) + ${revisionsAhead}`
  await tx`update sync_clock set floor = rev`
}

/** More than the changes between a backup and its restore. */
const revisionsAhead = 1_000_000

const batch = 500

async function insertRows(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  // A column that a later migration added takes its default.
  const given = columns.filter((column) => column in rows[0]!)
  await tx`
    insert into ${tx(table)} (${tx(given)})
    select ${tx(given)} from jsonb_populate_recordset(null::${tx(table)}, ${JSON.stringify(rows)}::text::jsonb)`
}

async function columnsOf(tx: Transaction, table: string): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`
  return rows.map(({ name }) => name)
}

/** Never reuses an id: devices and links may still hold one that was given out after the backup. */
async function advanceSequence(tx: Transaction, table: string): Promise<void> {
  const [sequence] = await tx<{ name: string | null }[]>`
    select pg_get_serial_sequence(${table}, 'id') as name`
  if (!sequence?.name) return
  await tx`select setval(${sequence.name}::regclass,
    (select coalesce(max(id), 0) from ${tx(table)}) + ${numbersAhead}::bigint)`
}

/** More than the new rows between a backup and its restore. */
const numbersAhead = 10_000

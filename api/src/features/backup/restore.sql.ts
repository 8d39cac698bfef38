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
 * Replaces all rows and ends all sessions. Call it in a new sync epoch.
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
  // Each file was compared with its hash while it was restored.
  await tx`truncate table sync_change, sync_mutation, recording_checks`
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const rows = rowsByTable[table] ?? []
    const columns = await columnsOf(tx, table)
    for (let at = 0; at < rows.length; at += batch)
      await insertRows(tx, table, columns, rows.slice(at, at + batch))
    const [counted] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(table)}`
    counts[table] = counted!.count
  }
  // Restored teachings are not announced to subscribers.
  await tx`truncate table push_news`
  return counts
}

const batch = 500

async function insertRows(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  // If a later migration added a column, it takes its default.
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

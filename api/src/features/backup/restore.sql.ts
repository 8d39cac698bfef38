import type { Database, Transaction } from '../../db/connection.ts'

/** Teachings, elders and accounts that a restore would replace; one account is the first administrator's. */
export async function standingRows(
  sql: Database,
): Promise<{ teachings: number; elders: number; users: number }> {
  const [row] = await sql<{ teachings: number; elders: number; users: number }[]>`
    select (select count(*)::int from teachings) as teachings, (select count(*)::int from elders) as elders,
      (select count(*)::int from users) as users`
  return row!
}

/**
 * Puts the rows in the place of those there are. Everybody is signed out, and the sync epoch is a new one: devices
 * that followed the state before take a snapshot.
 *
 * @param tables in an order in which those come first that others refer to
 */
export async function replaceRows(
  tx: Transaction,
  tables: readonly string[],
  rowsByTable: Readonly<Record<string, readonly Record<string, unknown>[]>>,
): Promise<void> {
  await tx`delete from sessions`
  for (const table of tables) await tx`truncate table ${tx(table)} cascade`
  await tx`truncate table sync_change, sync_mutation`
  await tx`update sync_clock set epoch = gen_random_uuid(), floor = rev`
  for (const table of tables) {
    const rows = rowsByTable[table] ?? []
    const columns = await columnsOf(tx, table)
    for (let at = 0; at < rows.length; at += batch)
      await insertRows(tx, table, columns, rows.slice(at, at + batch))
    if (columns.includes('id')) await continueNumbers(tx, table)
  }
}

const batch = 500

async function insertRows(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  // A column that came later takes its default.
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

/** The next number is one that no restored row has. */
async function continueNumbers(tx: Transaction, table: string): Promise<void> {
  const [sequence] = await tx<{ name: string | null }[]>`
    select pg_get_serial_sequence(${table}, 'id') as name`
  if (!sequence?.name) return
  await tx`select setval(${sequence.name}::regclass,
    greatest((select coalesce(max(id), 0) from ${tx(table)}), 1),
    exists (select 1 from ${tx(table)}))`
}

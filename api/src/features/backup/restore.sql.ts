import { isRefusedValue, type Database, type Sql, type Transaction } from '../../db/connection.ts'

/** Counts the teachings, elders and accounts that a restore would replace. */
export async function presentRows(
  sql: Database,
): Promise<{ teachings: number; elders: number; users: number }> {
  const [row] = await sql<{ teachings: number; elders: number; users: number }[]>`
    select (select count(*)::int from teachings) as teachings, (select count(*)::int from elders) as elders,
      (select count(*)::int from users) as users`
  return row!
}

/** An account as a restore compares it. */
export interface Account {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly role: string
  readonly isActive: boolean
}

export const presentAccounts = (sql: Sql): Promise<Account[]> =>
  sql<Account[]>`select id, email, password, role, is_active from users`

/** A column of a backed-up table, as the database declares it. */
export interface Column {
  readonly table: string
  readonly name: string
  /** The type by its SQL name: 'character varying'. */
  readonly type: string
  readonly nullable: boolean
  /** Characters, at most; null for any number. */
  readonly length: number | null
}

/** The written columns of these tables, in order. */
export function columnsOf(sql: Sql, tables: readonly string[]): Promise<Column[]> {
  return sql<Column[]>`
    select table_name as table, column_name as name, data_type as type, is_nullable = 'YES' as nullable,
      character_maximum_length as length
    from information_schema.columns
    where table_schema = current_schema() and table_name = any(${[...tables]}) and is_generated = 'NEVER'
    order by table_name, ordinal_position`
}

/** Rows of a table as JSON, and the columns to take from them. */
export interface GivenRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly string[]
}

const rehearsed = (table: string) => `rehearsed_${table}`

/** Makes a temporary table with the constraints of the real one, until the transaction ends. */
export async function beginRehearsal(tx: Transaction, table: string): Promise<void> {
  await tx`create temporary table ${tx(rehearsed(table))} (like ${tx(table)} including all) on commit drop`
}

/** Inserts rows into the temporary table, or none; returns the first refused one. */
export async function rehearse(
  tx: Transaction,
  { table, columns, rows }: GivenRows,
): Promise<{ row: string; why: string } | undefined> {
  const attempt = (some: readonly string[]) =>
    tx
      .savepoint(async (inner) => insertRows(inner, rehearsed(table), columns, some))
      .then(
        () => undefined,
        (error: unknown) => {
          if (!isRefusedValue(error)) throw error
          return error.message
        },
      )
  const why = await attempt(rows)
  if (why === undefined) return undefined
  for (const row of rows) {
    const own = await attempt([row])
    if (own !== undefined) return { row, why: own }
  }
  return { row: rows[0]!, why }
}

/** A row of the temporary tables that refers to an absent one. */
export async function brokenReference(tx: Transaction, tables: readonly string[]) {
  const references = await tx<{ table: string; column: string; target: string; key: string }[]>`
    select own.relname as table, a.attname as column, other.relname as target, k.attname as key
    from pg_constraint c join pg_class own on own.oid = conrelid join pg_class other on other.oid = confrelid
    join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
    join pg_attribute k on k.attrelid = confrelid and k.attnum = confkey[1]
    where contype = 'f' and own.relname = any(${[...tables]}) and other.relname = any(${[...tables]})
      and own.relnamespace = current_schema()::regnamespace`
  for (const { table, column, target, key } of references) {
    const [found] = await tx<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) as row from ${tx(rehearsed(table))} t
      where ${tx(column)} is not null and not exists (
        select 1 from ${tx(rehearsed(target))} r where r.${tx(key)} = t.${tx(column)}) limit 1`
    if (found) return { table, column, target, row: found.row }
  }
  return undefined
}

/** Removes all rows, and ends all sessions. Call it in a new sync epoch. */
export async function removeRows(tx: Transaction, tables: readonly string[]): Promise<void> {
  await tx`delete from sessions`
  for (const table of tables) await tx`truncate table ${tx(table)} cascade`
  // Each file was compared with its hash while it was restored.
  await tx`truncate table sync_change, sync_mutation, recording_checks`
}

/** Inserts restored rows. Referenced tables come first. */
export const insertRestored = (tx: Transaction, { table, columns, rows }: GivenRows): Promise<void> =>
  insertRows(tx, table, columns, rows)

/**
 * After all rows are inserted: accounts that are not to return are inactive, locks and mailed links of the time of the backup
 * end, and nothing restored is announced to subscribers.
 *
 * @returns the number of rows by table
 */
export async function settleRows(
  tx: Transaction,
  tables: readonly string[],
  inactive: readonly number[],
): Promise<Record<string, number>> {
  await tx`update users set is_active = false where id = any(${[...inactive]})`
  await tx`update users set login_attempts = 0, lock_until = null, password_reset_token = null,
      password_reset_expires = null
    where lock_until is not null or login_attempts <> 0 or password_reset_token is not null`
  await tx`truncate table push_news`
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const [counted] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(table)}`
    counts[table] = counted!.count
  }
  return counts
}

/**
 * Renumbers lines of the activity log, and portions of its archive, from `farthest` on. Call it when the next numbers are set.
 */
export async function renumberFarRows(tx: Transaction, farthest: number): Promise<void> {
  await tx`
    update audit_log set id = healed.next from (
      select id as far, nextval('audit_log_id_seq') as next
      from (select id from audit_log where id >= ${farthest} order by id) far_lines) healed
    where id = healed.far`
  // Those without a number of their own become the oldest.
  await tx`
    update audit_archive set first_id = healed.next, last_id = healed.next from (
      select first_id as known, case when first_id < ${farthest} then first_id
        else least(min(first_id) over (), 0) - row_number() over (order by first_id) end as next
      from audit_archive) healed
    where first_id = healed.known and last_id >= ${farthest}`
}

async function insertRows(
  tx: Transaction,
  place: string,
  columns: readonly string[],
  rows: readonly string[],
): Promise<void> {
  if (rows.length === 0) return
  const first = JSON.parse(rows[0]!) as object
  // If a later migration added a column, it takes its default.
  const given = columns.filter((name) => name in first)
  await tx`
    insert into ${tx(place)} (${tx(given)})
    select ${tx(given)} from jsonb_populate_recordset(null::${tx(place)}, ${`[${rows.join(',')}]`}::text::jsonb)`
}

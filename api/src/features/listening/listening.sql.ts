import type { ListeningChange, ListeningKind } from '@fellowship/schema/listening/listening.schema'
import type { Sql, Transaction } from '../../db/connection.ts'

/** An account's listening, without its rows. */
export interface ListeningAccount {
  enabled: boolean
  rev: number
  /** Of the account's generation and of the database's state: a cursor of another one is void. */
  epoch: string
  held: number
  /** Of the rows as JSON. */
  bytes: number
}

/** Until commit, so that requests of the same person come one after the other. */
export async function lockAccount(tx: Transaction, userId: number): Promise<void> {
  await tx`select 1 from listening_accounts where user_id = ${userId} for update`
}

export async function findAccount(sql: Sql, userId: number): Promise<ListeningAccount | undefined> {
  const [row] = await sql<ListeningAccount[]>`
    select enabled, rev, bytes,
      md5((select epoch from sync_clock)::text || generation::text)::uuid as epoch,
      (select count(*)::int from listening_rows where user_id = ${userId}) as held
    from listening_accounts where user_id = ${userId}`
  return row
}

/** The bytes of all accounts. */
export async function allBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as bytes from listening_accounts`
  return row!.bytes
}

/** Rows after a revision, up to another one; as many as asked for, and the rest of the last one's revision. */
export async function rowsAfter(
  sql: Sql,
  userId: number,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<{ rev: number; change: ListeningChange }[]> {
  const rows = await sql<Row[]>`
    select kind, rev, content from listening_rows
    where user_id = ${userId} and rev > ${after} and rev <= ${upTo}
    order by rev fetch first ${limit} rows with ties`
  return rows.map((row) => ({ rev: row.rev, change: changeOf(row) }))
}

/** The rows with these keys. */
export async function rowsWithKeys(
  tx: Transaction,
  userId: number,
  keys: readonly { kind: ListeningKind; key: string }[],
): Promise<ListeningChange[]> {
  const rows = await tx<Row[]>`
    select kind, rev, content from listening_rows
    join unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::uuid[])
      as wanted (wanted_kind, wanted_key) on wanted_kind = kind and wanted_key = key
    where user_id = ${userId}`
  return rows.map(changeOf)
}

/** Bytes of a row besides its content. */
export const keyBytes = 100

/** Counts the bytes of all accounts anew, after their rows were inserted otherwise. */
export async function countBytes(tx: Transaction): Promise<void> {
  await tx`update listening_accounts set bytes = coalesce((
    select sum(octet_length(content::text) + ${keyBytes}::int) from listening_rows
    where listening_rows.user_id = listening_accounts.user_id), 0)`
}

/** Brings revisions beyond the farthest plausible one back. Call it in a new sync epoch, in which devices fetch all rows. */
export async function healRevisions(tx: Transaction, farthest: number): Promise<void> {
  await tx`update listening_rows set rev = 1 where rev >= ${farthest}::bigint`
  await tx`update listening_accounts set rev = (
      select coalesce(max(rev), 0) from listening_rows where listening_rows.user_id = listening_accounts.user_id)
    where rev >= ${farthest}::bigint`
}

/** Writes rows in a new revision of the account. */
export async function writeRows(
  tx: Transaction,
  userId: number,
  rows: readonly { key: string; change: ListeningChange }[],
): Promise<void> {
  await tx`
    with given as (
      select kind, key, content::jsonb as content
      from unnest(${rows.map(({ change }) => change.kind)}::text[], ${rows.map(({ key }) => key)}::uuid[],
        ${rows.map(({ change }) => JSON.stringify(change.row))}::text[]) as rows (kind, key, content)),
    grown as (
      select sum(octet_length(given.content::text) + ${keyBytes}
        - coalesce(octet_length(before.content::text) + ${keyBytes}, 0)) as bytes
      from given left join listening_rows before
        on before.user_id = ${userId} and before.kind = given.kind and before.key = given.key),
    next as (
      update listening_accounts set rev = rev + 1, bytes = greatest(0, listening_accounts.bytes + grown.bytes)
      from grown where user_id = ${userId} returning rev)
    insert into listening_rows (user_id, kind, key, rev, content)
    select ${userId}, kind, key, next.rev, content from next, given
    on conflict (user_id, kind, key) do update set rev = excluded.rev, content = excluded.content`
}

/** Turns it on; returns false if it was on. */
export async function enableAccount(tx: Transaction, userId: number): Promise<boolean> {
  const { count } = await tx`
    insert into listening_accounts as account (user_id) values (${userId})
    on conflict (user_id) do update set enabled = true where not account.enabled`
  return count > 0
}

/** Turns it off; returns false if it was off. */
export async function disableAccount(tx: Transaction, userId: number): Promise<boolean> {
  const { count } = await tx`
    update listening_accounts set enabled = false where user_id = ${userId} and enabled`
  return count > 0
}

/** Deletes the rows of a person, and returns their number. */
export async function deleteAccount(tx: Transaction, userId: number): Promise<number> {
  const { count } = await tx`delete from listening_rows where user_id = ${userId}`
  await tx`delete from listening_accounts where user_id = ${userId}`
  return count
}

interface Row {
  kind: ListeningKind
  rev: number
  content: unknown
}

const changeOf = ({ kind, content }: Row): ListeningChange => ({ kind, row: content }) as ListeningChange

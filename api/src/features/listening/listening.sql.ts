import type { ListeningChange, ListeningKind } from '@fellowship/schema/listening/listening.schema'
import type { Sql, Transaction } from '../../db/connection.ts'

/** An account's listening, without its rows. */
export interface ListeningAccount {
  enabled: boolean
  rev: number
  /** Of the account's generation and of the database's state: a cursor of another one is void. */
  epoch: string
  held: number
}

/** Until commit, so that requests of the same person come one after the other. */
export async function lockAccount(tx: Transaction, userId: number): Promise<void> {
  await tx`select 1 from listening_accounts where user_id = ${userId} for update`
}

export async function findAccount(sql: Sql, userId: number): Promise<ListeningAccount | undefined> {
  const [row] = await sql<ListeningAccount[]>`
    select enabled, rev,
      md5((select epoch from sync_clock)::text || generation::text)::uuid as epoch,
      (select count(*)::int from listening_rows where user_id = ${userId}) as held
    from listening_accounts where user_id = ${userId}`
  return row
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

/** Writes rows in a new revision of the account. */
export async function writeRows(
  tx: Transaction,
  userId: number,
  rows: readonly { key: string; change: ListeningChange }[],
): Promise<void> {
  await tx`
    with next as (update listening_accounts set rev = rev + 1 where user_id = ${userId} returning rev)
    insert into listening_rows (user_id, kind, key, rev, content)
    select ${userId}, kind, key, next.rev, content::jsonb
    from next, unnest(${rows.map(({ change }) => change.kind)}::text[], ${rows.map(({ key }) => key)}::uuid[],
      ${rows.map(({ change }) => JSON.stringify(change.row))}::text[]) as given (kind, key, content)
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

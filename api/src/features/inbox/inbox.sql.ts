import type { Transaction, Sql } from '../../db/connection.ts'

/** A recording that arrived whole and is not published; `arriving` until the first attempt to publish it. */
export interface InboxRow {
  id: string
  state: 'arriving' | 'waiting'
  filename: string
  takenFrom: string | null
  bytes: number
  /** The data folder that has its file; null if it arrived before there were several. */
  nodeId: string | null
  code: string | null
  reason: string | null
  fix: string | null
  arrivedAt: Date
}

export async function insertArrival(
  sql: Sql,
  row: Pick<InboxRow, 'id' | 'filename' | 'takenFrom' | 'bytes' | 'nodeId'>,
): Promise<void> {
  const { id, filename, takenFrom, bytes, nodeId } = row
  await sql`insert into inbox (id, filename, taken_from, bytes, workshop, arrived_at)
    values (${id}, ${filename}, ${takenFrom}, ${bytes}, ${nodeId}, now())`
}

export async function findInbox(sql: Sql, id: string): Promise<InboxRow | undefined> {
  const [row] = await sql<InboxRow[]>`select ${columns(sql)} from inbox where id = ${id}`
  return row
}

/** As `findInbox`, locked for update until the transaction ends. */
export async function lockInbox(tx: Transaction, id: string): Promise<InboxRow | undefined> {
  const [row] = await tx<InboxRow[]>`select ${columns(tx)} from inbox where id = ${id} for update`
  return row
}

export function inboxRows(sql: Sql, state: InboxRow['state']): Promise<InboxRow[]> {
  return sql<
    InboxRow[]
  >`select ${columns(sql)} from inbox where state = ${state} order by arrived_at desc, id`
}

/** Sets the item waiting for an administrator, with the reason and the fix. */
export async function setWaiting(
  sql: Sql,
  id: string,
  { code, reason, fix }: { code: string; reason: string; fix: string },
): Promise<void> {
  await sql`update inbox set state = 'waiting', code = ${code}, reason = ${reason.slice(0, 2000)}, fix = ${fix}
    where id = ${id}`
}

/** False if there is no such row. */
export async function deleteInbox(sql: Sql, id: string): Promise<boolean> {
  const deleted = await sql`delete from inbox where id = ${id}`
  return deleted.count > 0
}

/** Waiting items of the same name and code that did not arrive after `arrivedAt`. */
export function olderOfName(sql: Sql, filename: string, code: string, arrivedAt: Date): Promise<InboxRow[]> {
  return sql<InboxRow[]>`select ${columns(sql)} from inbox
    where state = 'waiting' and filename = ${filename} and code = ${code} and arrived_at <= ${arrivedAt}`
}

/** Items that have waited for more than `days`, and the number of all waiting items. */
export async function waitingLonger(sql: Sql, days: number): Promise<{ due: InboxRow[]; total: number }> {
  const due = await sql<InboxRow[]>`select ${columns(sql)} from inbox
    where state = 'waiting' and arrived_at < now() - make_interval(days => ${days})`
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from inbox where state = 'waiting'`
  return { due: [...due], total: row!.total }
}

const columns = (sql: Sql) =>
  sql`id, state, filename, taken_from, bytes, workshop as node_id, code, reason, fix, arrived_at`

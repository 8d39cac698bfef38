import type { Placed } from '@fellowship/schema/elders/display-order'
import type { Elder, ElderChanges, NewElder } from '@fellowship/schema/elders/elders.schema'
import type { Transaction, Sql } from '../../db/connection.ts'
import { rowColumns } from '../../db/synced-rows.ts'

/** Elders in display order, in the shape of the API: all, or those with the given uids. */
export function allElders(sql: Sql, uids: readonly string[] | null = null): Promise<Elder[]> {
  return sql<Elder[]>`select ${columns(sql)} from elders
    where ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`} order by display_order, id`
}

export async function findElder(sql: Sql, id: number): Promise<Elder | undefined> {
  const [row] = await sql<Elder[]>`select ${columns(sql)} from elders where id = ${id}`
  return row
}

export async function insertElder(tx: Transaction, row: NewElder): Promise<Elder> {
  const [inserted] = await tx<Elder[]>`insert into elders ${tx(row)} returning ${columns(tx)}`
  return inserted!
}

/** Returns the row unchanged if the changes make no difference. */
export async function updateElder(tx: Transaction, id: number, changes: ElderChanges): Promise<Elder> {
  if (Object.keys(changes).length > 0) await tx`update elders set ${tx(changes)} where id = ${id}`
  return (await findElder(tx, id))!
}

export async function deleteElder(tx: Transaction, id: number): Promise<void> {
  await tx`delete from elders where id = ${id}`
}

export async function writeOrders(tx: Transaction, orders: readonly Placed[]): Promise<void> {
  for (const { id, displayOrder } of orders) {
    await tx`update elders set display_order = ${displayOrder} where id = ${id}`
  }
}

const columns = (sql: Sql) => rowColumns(sql, 'elder')

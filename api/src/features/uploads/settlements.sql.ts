import type { Database } from '../../db/connection.ts'

interface Settlement {
  id: string
  kind: string
  name: string
  /** The process that put the file there. */
  owner: string
}

export async function insertSettlement(sql: Database, row: Settlement): Promise<void> {
  await sql`insert into settlements ${sql({ ...row })}`
}

export async function deleteSettlement(sql: Database, id: string): Promise<void> {
  await sql`delete from settlements where id = ${id}`
}

export function settlements(sql: Database): Promise<Settlement[]> {
  return sql<Settlement[]>`select id, kind, name, owner from settlements order by since`
}

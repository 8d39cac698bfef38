import type { Handout } from '@fellowship/schema/handouts/handout-file'
import type { Sql, Transaction } from '../../db/connection.ts'

/** Writes the handouts of a teaching; null if there are none. */
export async function writeHandouts(tx: Transaction, id: number, all: readonly Handout[]): Promise<void> {
  const stored = all.length === 0 ? null : tx.json(all as never)
  await tx`update teachings set handouts = ${stored} where id = ${id}`
}

/** The handout of a live teaching that has this hash. */
export async function publicHandout(sql: Sql, hash: string): Promise<Handout | undefined> {
  const [row] = await sql<{ handout: Handout }[]>`
    select handout from teachings, jsonb_array_elements(handouts) handout
    where deleted_at is null and handouts @> ${sql.json([{ hash }])} and handout ->> 'hash' = ${hash}
    order by teachings.id limit 1`
  return row?.handout
}

/** Whether a teaching refers to this handout, also one in the bin, which may be restored. */
export async function isHandoutUsed(sql: Sql, hash: string): Promise<boolean> {
  const [row] = await sql`select 1 from teachings where handouts @> ${sql.json([{ hash }])} limit 1`
  return row !== undefined
}

/** A handout of the library or of the bin, with the words of its teaching. */
export interface UsedHandout extends Handout {
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
}

/** Every handout once, by the date of its teaching. */
export const usedHandouts = (sql: Sql): Promise<UsedHandout[]> => sql<UsedHandout[]>`
  select * from (
    select distinct on (hash) hash, name, type, bytes, title, speaker, date, scripture_reference
    from teachings, jsonb_to_recordset(handouts) as handout (hash text, name text, type text, bytes int)
    order by hash, deleted_at desc nulls first) as found
  order by date, title, hash`

/** Whether a backup may still be reading files. */
export async function isBackupRunning(sql: Sql, since: Date): Promise<boolean> {
  const [row] = await sql`select 1 from backups where result = 'running' and started_at > ${since} limit 1`
  return row !== undefined
}

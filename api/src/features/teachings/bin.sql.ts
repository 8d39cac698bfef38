import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Database, Sql, Transaction } from '../../db/connection.ts'
import { rowColumns } from '../../db/row-columns.ts'

export type BinRow = Teaching & { deletedAt: Date }

/** Teachings in the bin, the last deleted first. */
export function binnedTeachings(sql: Database): Promise<BinRow[]> {
  return sql<BinRow[]>`select ${columns(sql)} from teachings
    where deleted_at is not null order by deleted_at desc, id desc`
}

export async function findBinned(
  tx: Transaction,
  id: number,
): Promise<(BinRow & { audioSha256: string | null }) | undefined> {
  const [row] = await tx<(BinRow & { audioSha256: string | null })[]>`
    select ${columns(tx)}, audio_sha256 from teachings where id = ${id} and deleted_at is not null`
  return row
}

export async function unbinTeaching(tx: Transaction, id: number): Promise<void> {
  await tx`update teachings set deleted_at = null where id = ${id}`
}

/** Teachings in the bin, and those among them that were deleted more than `days` ago. */
export async function binCounts(sql: Database, days: number): Promise<{ due: number; total: number }> {
  const [row] = await sql<{ due: number; total: number }[]>`
    select count(*)::int as total,
      (count(*) filter (where deleted_at < now() - make_interval(days => ${days})))::int as due
    from teachings where deleted_at is not null`
  return row!
}

/** Deletes teachings for good that were deleted more than `days` ago, and returns the file names of their recordings. */
export async function purgeBinned(sql: Database, days: number): Promise<string[]> {
  const rows = await sql<{ audioUrl: string | null }[]>`
    delete from teachings where deleted_at < now() - make_interval(days => ${days}) returning audio_url`
  return rows.flatMap(({ audioUrl }) => (audioUrl ? [audioUrl.slice('/audio/'.length)] : []))
}

const columns = (sql: Sql) => sql`${rowColumns(sql, 'teaching')}, deleted_at`

import type { SeriesPatch, SeriesText } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import type { Database, Sql, Transaction } from '../../db/connection.ts'
import { rowColumns } from '../../db/synced-rows.ts'

export type SeriesRow = Series & { deletedAt: Date | null }

/** Live series by title: all, or those with the given uids. */
export function liveSeries(sql: Sql, uids: readonly string[] | null = null): Promise<Series[]> {
  return sql<Series[]>`
    select ${columns(sql)} from series
    where deleted_at is null and ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`}
    order by lower(title), slug`
}

/** A series, live or deleted. */
export async function findSeries(sql: Sql, uid: string): Promise<SeriesRow | undefined> {
  const [row] = await sql<SeriesRow[]>`
    select ${columns(sql)}, deleted_at from series where uid = ${uid}`
  return row
}

/** The number of series, of their teachings, and of the bytes of their words, deleted series included. */
export async function countSeries(sql: Sql): Promise<{ all: number; teachings: number; words: number }> {
  const [row] = await sql<{ all: number; teachings: number; words: number }[]>`
    select count(*)::int as all, coalesce(sum(cardinality(teachings)), 0)::int as teachings,
      coalesce(sum(octet_length(title) + octet_length(description)), 0)::int as words from series`
  return row!
}

/** The slugs with this beginning, also of deleted series. */
export async function slugsLike(sql: Sql, base: string): Promise<Set<string>> {
  const rows = await sql<{ slug: string }[]>`select slug from series where starts_with(slug, ${base})`
  return new Set(rows.map(({ slug }) => slug))
}

export async function insertSeries(
  tx: Transaction,
  text: SeriesText,
  key: { slug: string; uid?: string | undefined },
): Promise<Series> {
  const { slug, uid } = key
  const row = { ...stored(tx, text), slug, ...(uid !== undefined && { uid }) }
  const [inserted] = await tx<Series[]>`insert into series ${tx(row)} returning ${columns(tx)}`
  return inserted!
}

/** If nothing changes, no revision is allocated. */
export async function updateSeries(tx: Transaction, uid: string, text: SeriesText): Promise<Series> {
  await tx`update series set ${tx(stored(tx, text))} where uid = ${uid}`
  const [row] = await tx<Series[]>`select ${columns(tx)} from series where uid = ${uid}`
  return row!
}

/** Sets or removes the picture of a live series; undefined if the series does not exist. */
export async function updatePicture(
  tx: Transaction,
  uid: string,
  imageUrl: string | null,
): Promise<Series | undefined> {
  await tx`update series set image_url = ${imageUrl} where uid = ${uid} and deleted_at is null`
  const [row] = await liveSeries(tx, [uid])
  return row
}

/** Moves a series to the bin and returns the revision of the deletion. */
export async function binSeries(tx: Transaction, uid: string): Promise<number> {
  const [row] = await tx<{ rev: number }[]>`
    update series set deleted_at = now() where uid = ${uid} returning rev`
  return row!.rev
}

export async function unbinSeries(tx: Transaction, uid: string): Promise<Series> {
  await tx`update series set deleted_at = null where uid = ${uid}`
  const [row] = await tx<Series[]>`select ${columns(tx)} from series where uid = ${uid}`
  return row!
}

/** Series in the bin, the last deleted first. */
export const binnedSeries = (sql: Database): Promise<(Series & { deletedAt: Date })[]> =>
  sql<
    (Series & { deletedAt: Date })[]
  >`select ${columns(sql)}, deleted_at from series where deleted_at is not null order by deleted_at desc, uid`

/** Deletes series for good that were deleted more than `days` ago; returns how many. */
export async function purgeBinnedSeries(sql: Database, days: number): Promise<number> {
  const { count } = await sql`delete from series where deleted_at < now() - make_interval(days => ${days})`
  return count
}

/** A list of text would be sent as text[]. */
const stored = (tx: Transaction, { teachings, ...words }: SeriesPatch) => ({
  ...words,
  ...(teachings && { teachings: tx.array([...teachings], uuidType) }),
})
/** Number of the type uuid in PostgreSQL. */
const uuidType = 2950

const columns = (sql: Sql) => rowColumns(sql, 'series')

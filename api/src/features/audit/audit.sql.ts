import type { AuditLine } from '@fellowship/schema/audit/audit.contract'
import type { Database, Transaction } from '../../db/connection.ts'

interface AuditFilter {
  area?: string | undefined
  actor?: string | undefined
  q?: string | undefined
  before?: number | undefined
  limit: number
}

/** The matching lines, newest first. */
export async function findAuditLines(sql: Database, filter: AuditFilter): Promise<AuditLine[]> {
  const { area, actor, q, before, limit } = filter
  const words = q && `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`
  // The column is named in full: a bare `id` would order by the text of the same name in the select list.
  const rows = await sql<(Omit<AuditLine, 'at' | 'id'> & { id: string; at: Date })[]>`
    select audit_log.id::text, at, actor, action, subject, details from audit_log
    where true
      ${area ? sql`and split_part(action, '.', 1) = ${area}` : sql``}
      ${actor ? sql`and actor = ${actor}` : sql``}
      ${words ? sql`and (action ilike ${words} or subject ilike ${words} or actor ilike ${words})` : sql``}
      ${before ? sql`and audit_log.id < ${before}` : sql``}
    order by audit_log.id desc limit ${limit}`
  return rows.map((row) => ({ ...row, id: Number(row.id), at: row.at.toISOString() }))
}

/** The areas and actors to filter by. */
export async function auditFilters(sql: Database): Promise<{ areas: string[]; actors: string[] }> {
  const areas = await sql<{ value: string }[]>`
    select distinct split_part(action, '.', 1) as value from audit_log order by value`
  const actors = await sql<{ value: string }[]>`select distinct actor as value from audit_log order by value`
  return { areas: areas.map(({ value }) => value), actors: actors.map(({ value }) => value) }
}

/** The size of the log as JSON, and of its lines before a moment. */
export async function auditSize(
  sql: Database,
  before: Date,
): Promise<{ bytes: number; linesBefore: number }> {
  const [row] = await sql<{ bytes: number; linesBefore: number }[]>`
    select coalesce(sum(octet_length(to_jsonb(l)::text)), 0)::bigint as bytes,
      count(*) filter (where at < ${before})::int as lines_before
    from audit_log l`
  return row!
}

/**
 * Moves the oldest lines into the archive, at most so many and half a megabyte of them.
 *
 * @returns how many, and their bytes
 */
export async function archiveOldest(
  tx: Transaction,
  most: number,
): Promise<{ lines: number; bytes: number }> {
  const [row] = await tx<{ lines: number; bytes: number }[]>`
    with oldest as (
      select id, at, to_jsonb(l) as line, octet_length(to_jsonb(l)::text) as bytes,
        sum(octet_length(to_jsonb(l)::text)) over (order by id) as up_to
      from (select * from audit_log order by id limit ${most}) l),
    portion as (select * from oldest where up_to <= ${portionBytes} or id = (select min(id) from oldest)),
    moved as (
      insert into audit_archive (first_id, last_id, from_at, to_at, lines)
      select min(id), max(id), min(at), max(at), jsonb_agg(line order by id) from portion having count(*) > 0),
    gone as (delete from audit_log where id in (select id from portion))
    select count(*)::int as lines, coalesce(sum(bytes), 0)::bigint as bytes from portion`
  return row!
}

const portionBytes = 500_000

/** Deletes the oldest portions beyond so many bytes, and returns their number. */
export async function trimArchive(sql: Database, most: number): Promise<number> {
  const { count } = await sql`
    delete from audit_archive where first_id in (
      select first_id from (
        select first_id, sum(octet_length(lines::text)) over (order by first_id desc) as newer from audit_archive) sizes
      where newer > ${most})`
  return count
}

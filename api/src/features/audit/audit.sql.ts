import type { AuditLine } from '@fellowship/schema/audit/audit.contract'
import type { Database } from '../../db/connection.ts'

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

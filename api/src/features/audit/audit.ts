import type { audit } from '@fellowship/schema/audit/audit.contract'
import type { AnswerOf, QueryOf } from '@fellowship/schema/endpoint'
import type { Context } from '../../context.ts'
import { auditFilters, findAuditLines } from './audit.sql.ts'

/** A page of the audit log, newest first, with the areas and actors to filter by. */
export async function readAudit(
  { sql }: Context,
  query: QueryOf<typeof audit.list>,
): Promise<AnswerOf<typeof audit.list>> {
  // If there is one extra line, older lines follow.
  const lines = await findAuditLines(sql, { ...query, limit: query.limit + 1 })
  const more = lines.length > query.limit
  return { lines: lines.slice(0, query.limit), more, ...(await auditFilters(sql)) }
}

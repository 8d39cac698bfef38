import type { audit } from '@fellowship/schema/audit/audit.contract'
import type { AnswerOf, QueryOf } from '@fellowship/schema/endpoint'
import type { Context } from '../../context.ts'
import { auditChoices, auditLines } from './audit.sql.ts'

/** A page of the audit log, newest first, and what it can be filtered by. */
export async function readAudit(
  { sql }: Context,
  query: QueryOf<typeof audit.list>,
): Promise<AnswerOf<typeof audit.list>> {
  // One more than asked for tells whether there are older ones.
  const lines = await auditLines(sql, { ...query, limit: query.limit + 1 })
  const more = lines.length > query.limit
  return { lines: lines.slice(0, query.limit), more, ...(await auditChoices(sql)) }
}

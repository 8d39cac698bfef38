import { auditBudget, type audit } from '@fellowship/schema/audit/audit.contract'
import type { AnswerOf, QueryOf } from '@fellowship/schema/endpoint'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { archiveOldest, auditFilters, auditSize, findAuditLines, trimArchive } from './audit.sql.ts'

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

/**
 * Moves lines out of the log that are older, or more, than it holds. The archive is part of every backup; beyond its own size
 * the oldest lines end.
 */
export async function archiveAudit(
  { sql, clock }: Context,
  budget: AuditBudget = auditBudget,
): Promise<void> {
  const oldest = new Date(clock.now().getTime() - budget.days * 24 * 60 * 60_000)
  const size = await auditSize(sql, oldest)
  let excess = size.bytes - budget.bytes
  let old = size.linesBefore
  while (excess > 0 || old > 0) {
    const most = excess > 0 ? portion : Math.min(portion, old)
    const { lines, bytes } = await inTransaction(sql, (tx) => archiveOldest(tx, most))
    if (lines === 0) break
    excess -= bytes
    old -= lines
  }
  await trimArchive(sql, budget.archiveBytes)
}

type AuditBudget = Readonly<Record<keyof typeof auditBudget, number>>

/** Lines that are moved in one transaction. */
const portion = 500

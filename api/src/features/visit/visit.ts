import type { VisitChanges, VisitDetails } from '@fellowship/schema/visit/visit.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { readVisit, writeVisit } from './visit.sql.ts'

/** The notes for a first visit. */
export const visitDetails = ({ sql }: Pick<Context, 'sql'>): Promise<VisitDetails> => readVisit(sql)

/** Changes only the given texts. */
export async function changeVisit(
  { sql, clock, changes: feed }: Context,
  changes: VisitChanges,
  actor: Actor,
): Promise<VisitDetails> {
  const fields = Object.keys(changes)
  if (fields.length === 0) return readVisit(sql)
  await sql.begin(async (tx) => {
    await writeVisit(tx, changes)
    const entry = { actor, action: 'visit.updated', subject: 'Plan your visit', details: { fields } }
    await writeAudit(tx, entry, clock.now())
  })
  feed.announce()
  return readVisit(sql)
}

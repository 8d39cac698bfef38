import type { VisitChanges, VisitDetails } from '@fellowship/schema/visit/visit.contract'
import type { Context } from '../../context.ts'
import { changeRows } from '../../db/synced-rows.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { readVisit, writeVisit } from './visit.sql.ts'

/** The notes for a first visit. */
export const visitDetails = ({ sql }: Pick<Context, 'sql'>): Promise<VisitDetails> => readVisit(sql)

/** Changes only the given texts. */
export async function changeVisit(
  context: Context,
  changes: VisitChanges,
  actor: Actor,
): Promise<VisitDetails> {
  const fields = Object.keys(changes)
  if (fields.length === 0) return readVisit(context.sql)
  // In a new revision, so that prerendered pages, also those that devices hold, are rendered again.
  await changeRows(context, async (tx) => {
    await writeVisit(tx, changes)
    const entry = { actor, action: 'visit.updated', subject: 'Plan your visit', details: { fields } }
    await writeAudit(tx, entry, context.clock.now())
  })
  return readVisit(context.sql)
}

import { noVisitDetails } from '@fellowship/schema/visit/visit.texts'
import type { VisitChanges, VisitDetails } from '@fellowship/schema/visit/visit.contract'
import type { Database, Transaction } from '../../db/connection.ts'

export async function readVisit(sql: Database): Promise<VisitDetails> {
  const [row] = await sql<VisitDetails[]>`select expect, for_children, parking, phone from visit_details`
  return row ?? noVisitDetails
}

export async function writeVisit(tx: Transaction, changes: VisitChanges): Promise<void> {
  await tx`insert into visit_details default values on conflict do nothing`
  await tx`update visit_details set ${tx(changes)}`
}

import type { VisitChanges } from '@fellowship/schema/visit/visit.schema'
import { visit } from '@fellowship/schema/visit/visit.contract'
import { visitTexts } from '@fellowship/schema/visit/visit.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'

/** The details of the server, not of this device. */
export const useVisitNow = adminQuery(visit.details)

export const useSaveVisit = adminMutation({
  call: (changes: VisitChanges) => call(visit.update, { body: changes }),
  success: () => ({ title: visitTexts.updated }),
  failure: visitTexts.updateFailed,
  invalidates: [visit.details],
  pendingUntilRefreshed: true,
})

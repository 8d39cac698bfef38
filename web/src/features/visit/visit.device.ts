import { visit, visitDetails, type VisitDetails } from '@fellowship/schema/visit/visit.contract'
import { call } from '@fellowship/sync/call/call'
import { readStored, store } from '../../lib/site-storage.ts'

const key = 'visit-details'

/** The details from the server; without an answer, as last stored on this device; undefined if there are none. */
export async function readVisit(): Promise<{ details: VisitDetails; isFromServer: boolean } | undefined> {
  try {
    const details = await call(visit.details)
    store(key, details)
    return { details, isFromServer: true }
  } catch {
    const details = visitDetails.safeParse(readStored(key)).data
    return details && { details, isFromServer: false }
  }
}

import { visit, visitDetails, type VisitDetails } from '@fellowship/schema/visit/visit.contract'
import { call } from '@fellowship/sync/call/call'

const key = 'visit-details'

/** The details from the server; without an answer, as last stored on this device; undefined if there are none. */
export async function readVisit(): Promise<{ details: VisitDetails; isFromServer: boolean } | undefined> {
  try {
    const details = await call(visit.details)
    storeVisit(details)
    return { details, isFromServer: true }
  } catch {
    const details = storedVisit()
    return details && { details, isFromServer: false }
  }
}

/** Stores the details for offline use. A browser that refuses site data stores nothing. */
function storeVisit(details: VisitDetails): void {
  try {
    localStorage.setItem(key, JSON.stringify(details))
  } catch {
    // Then only this section is missing, and only offline.
  }
}

function storedVisit(): VisitDetails | undefined {
  try {
    return visitDetails.safeParse(JSON.parse(localStorage.getItem(key) ?? 'null')).data
  } catch {
    return undefined
  }
}

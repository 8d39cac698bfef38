import { visit } from '@fellowship/schema/visit/visit.contract'
import { visitDetails, type VisitDetails } from '@fellowship/schema/visit/visit.schema'
import { call } from '@fellowship/sync/call/call'

const key = 'visit-details'

/** The details as the server has them; without an answer, as this device last had them; undefined where it never did. */
export async function readVisit(): Promise<{ details: VisitDetails; isFromServer: boolean } | undefined> {
  try {
    const details = await call(visit.details)
    keepVisit(details)
    return { details, isFromServer: true }
  } catch {
    const details = keptVisit()
    return details && { details, isFromServer: false }
  }
}

/** Keeps them for when there is no connection. A browser that refuses site data keeps nothing. */
function keepVisit(details: VisitDetails): void {
  try {
    localStorage.setItem(key, JSON.stringify(details))
  } catch {
    // Nothing but the section is missing then, and only offline.
  }
}

function keptVisit(): VisitDetails | undefined {
  try {
    return visitDetails.safeParse(JSON.parse(localStorage.getItem(key) ?? 'null')).data
  } catch {
    return undefined
  }
}

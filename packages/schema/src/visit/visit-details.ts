import type { VisitDetails } from './visit.schema.ts'

export const noVisitDetails: VisitDetails = { expect: '', forChildren: '', parking: '', phone: '' }

/** Whether there is anything to show. */
export const hasVisitDetails = (details: VisitDetails): boolean =>
  Object.values(details).some((text) => text !== '')

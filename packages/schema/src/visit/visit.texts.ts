/** Messages about the details of 'Plan your visit'. The description of a failure is the server's sentence. */
export const visitTexts = {
  updated: 'Visit Details Updated',
  updateFailed: 'The visit details could not be saved',
  loadFailed: 'Failed to load the visit details',
  phoneInvalid: 'Phone must be a number of at most 30 characters, such as 06 322 1234.',
} as const

/** The details before an administrator has written any. */
export const noVisitDetails = { expect: '', forChildren: '', parking: '', phone: '' }

/** Whether there is anything to show. */
export const hasVisitDetails = (details: typeof noVisitDetails): boolean =>
  Object.values(details).some((text) => text !== '')

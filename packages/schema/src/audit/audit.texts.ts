/** The audit log. */
export const auditTexts = {
  loadFailed: 'The log could not be loaded',
  none: 'Nothing has been written down yet',
  noneFound: 'No line fits this filter',
} as const

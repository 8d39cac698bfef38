/** Lines of the audit log in one response, and characters of a search in it. */
export const auditLimits = { page: 50, search: 255 } as const

/**
 * Addresses that lead to no page of the app, as a NavigationRoute is given them: path and query in one. Files are known
 * by the end of their path; a dot in the query belongs to a search: '/teaching?q=15.3.2026'.
 */
export const noPages = [/^\/api\//, /^\/audio\//, /^\/offline-audio\//, /^[^?]*\.\w+(?:\?|$)/]

/**
 * Addresses that are no page of the app, in the form of a NavigationRoute: path and query in one. Files are recognized
 * by the extension of their path; a dot in the query belongs to a search: '/teaching?q=15.3.2026'.
 */
export const noPages = [/^\/api\//, /^\/audio\//, /^\/offline-audio\//, /^[^?]*\.\w+(?:\?|$)/]

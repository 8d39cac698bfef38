/** Milliseconds until the toast about a finished upload closes. */
export const uploadedToastMs = 60_000

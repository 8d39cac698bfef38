/** Milliseconds that the toast about a finished upload stays. */
export const uploadedToastMs = 60_000

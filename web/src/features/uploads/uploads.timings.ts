/** Milliseconds that the banner about an upload and the toast about an unreadable file name stay. */
export const uploadTimings = { bannerMs: 60_000, parseErrorToastMs: 8_000 } as const

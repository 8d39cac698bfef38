/**
 * Version of the row shape that this build uses on the wire. If a client has the previous one, the server accepts it and sends
 * rows of that shape.
 */
export const clientSchema = 2
/** From which version on a snapshot names the teachings of series by their places in it. */
export const placesSchema = 2
/** Oldest version that the server accepts; older clients get an error that asks for an update. */
export const minClientSchema = 1

/** Rows of a delta page, before it is extended to the end of its last transaction. */
export const pageLimit = { standard: 200, most: 1000 } as const

/** How long tombstones are kept; a device away for longer gets a snapshot. */
export const tombstoneDays = 180

/** Minimum time between pulls when the page becomes visible. */
export const visibleAgainMs = 60_000

/** Event streams that are open at once, of one address (a hall full of phones on one line) and in all. */
export const eventStreams = { each: 500, all: 5000 } as const

/**
 * Snapshots, and pages that have to be read from the database, per address: enough for a hall full of phones that come
 * back online.
 */
export const pageReads = { attempts: 1200, perMinutes: 1 } as const

/** Bytes of the words of all rows of a kind, those in the bin included: every device fetches and stores them. */
export const syncedWordBytes = { teachings: 32_000_000, elders: 1_000_000 } as const

/** The shape of rows on the wire that this build speaks. The server answers the one before as well. */
export const clientSchema = 1
/** Oldest shape the server still answers; older clients are asked to update. */
export const minClientSchema = 1

/** Rows a page holds before it is filled up to the end of its last transaction. */
export const pageLimit = { standard: 200, most: 1000 } as const

/** How long a deletion is remembered; a device away for longer gets a snapshot. */
export const tombstoneDays = 180

/** DESIGN 4: pulls on becoming visible, and when /teaching is shown. */
export const visibleAgainMs = 60_000
export const teachingStaleMs = 5 * 60_000

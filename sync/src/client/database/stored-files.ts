/** The bytes of a recording are rows of this many; only its last row may be shorter. */
export const chunkBytes = 1024 * 1024

/** The service worker opens this database too, without the library. */
export const audioDatabaseName = 'audio'

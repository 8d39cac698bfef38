/** The search in transcripts. */
export const spokenLimits = {
  /** Words of a query that count, and letters of its longest. */
  queryWords: 12,
  queryLetters: 3,
  /** Teachings of an answer of the server, and sentences of each. */
  found: 20,
  sentences: 3,
  /** Texts that are offered one by one: a device that lacks only these fetches no whole year. */
  recent: 16,
  /** A result plays from so many seconds before its sentence. */
  leadSeconds: 2,
  /** Bytes of one answer that a device reads, and of the whole index that it stores, both uncompressed. */
  answerBytes: 16 * 1024 * 1024,
  storedBytes: 48 * 1024 * 1024,
} as const

/** Searches per address that are not answered from memory. */
export const saidRate = { attempts: 300, perMinutes: 1 } as const
/** Texts per address; a device that saves a whole library asks for many. */
export const textRate = { attempts: 1200, perMinutes: 1 } as const

/** Limits of one person's listening data on the server. */
export const listeningLimits = {
  /** Rows of all kinds: many years of listening, and less than a flood. */
  rows: 20_000,
  /** Bytes of one person's rows as JSON: 20,000 places, or some thousand long notes. */
  bytes: 16_000_000,
  /** Bytes of all people's rows, from which on only those with few bytes can add more. */
  allBytes: 400_000_000,
  fewBytes: 1_000_000,
  /** Bytes of all people's rows: with the rest of the database they stay below the limit of a backup. */
  mostBytes: 600_000_000,
  /** Changes of one request. */
  changes: 100,
  /** JSON of one request's changes, in bytes: below the limit of every request's body. */
  pushBytes: 48_000,
  /** Rows of one answer. */
  page: 500,
  /** Characters of a place in Up next. */
  order: 200,
} as const

/** Requests of one person, over all devices. */
export const listeningRate = { attempts: 120, perMinutes: 1 } as const

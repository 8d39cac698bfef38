/** Limits of one person's listening data on the server. */
export const listeningLimits = {
  /** Rows of all kinds: many years of listening, and less than a flood. */
  rows: 20_000,
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

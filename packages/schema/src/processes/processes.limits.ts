/** Process limit of shared hosting, the interval of the check, and the count at which the oldest leftovers are ended. */
export const processLimits = { limit: 80, endStraysFrom: 75, watchEveryMs: 5 * 60_000 } as const

/** Percent of the limit at which the indicator turns yellow and red. */
export const usagePercent = { yellow: 70, red: 90 } as const

/** SPEC §9: what shared hosting allows, how often it is looked at, and from how many the oldest strays are ended. */
export const processLimits = { limit: 80, endStraysFrom: 75, watchEveryMs: 5 * 60_000 } as const

/** SPEC §4, §9: per cent of the limit from which the indicator is yellow and red. */
export const usagePercent = { yellow: 70, red: 90 } as const

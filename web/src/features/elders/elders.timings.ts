/** Milliseconds: Home to About waits once; About to Home waits, then looks up to ten times for the elder's card. */
export const elderScrollTimings = {
  homeToAboutMs: 100,
  aboutToHomeMs: 200,
  retries: 10,
  retryMs: 100,
} as const

/** How many skeleton cards are shown until the elders have come. */
export const elderPlaceholders = 3

/** Milliseconds: Home to About waits once; About to Home waits, then looks up to ten times for the elder's card. */
export const elderScrollTimings = {
  homeToAboutMs: 100,
  aboutToHomeMs: 200,
  retries: 10,
  retryMs: 100,
} as const

/** Number of skeleton cards while the elders load. */
export const elderPlaceholders = 3

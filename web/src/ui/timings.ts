/** SPEC §9: every number of seconds, pixels or tries that a screen keeps to. Times are milliseconds. */

/** At most one toast, shown 5 s, swiped right by 50 px, reached by F8; a dismissed one is forgotten after 1,000,000 ms. */
export const toastTimings = {
  limit: 1,
  displayMs: 5_000,
  removalMs: 1_000_000,
  swipeDirection: 'right',
  swipeThresholdPx: 50,
  hotkey: 'F8',
} as const

export const tooltipTimings = { openDelayMs: 700, skipDelayMs: 300 } as const

export const uploadTimings = { bannerMs: 60_000, successToastMs: 60_000, parseErrorToastMs: 8_000 } as const

/** A second click within 5 s is ignored; the button is locked for 2 s. */
export const downloadTimings = { debounceMs: 5_000, lockMs: 2_000 } as const

export const redirectTimings = { adminMs: 1_500, unauthorizedMs: 500, reloadMs: 500 } as const

/** Home to About waits once; About to Home waits, then looks up to ten times. */
export const elderScrollTimings = {
  homeToAboutMs: 100,
  aboutToHomeMs: 200,
  retries: 10,
  retryMs: 100,
} as const

export const popoverTimings = { widthPx: 384, hideDelayMs: 150, screenMarginPx: 16 } as const

export const mapStylesheetWaitMs = 2_000

export const sftpStatusPollMs = 10_000

export const elderPlaceholders = 3

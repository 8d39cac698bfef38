/** Times are milliseconds. Those of a feature stand in its own `.timings.ts`. */

/** At most one toast, shown 5 s, swiped right by 50 px, reached by F8; a dismissed one is forgotten after 1,000,000 ms. */
export const toastTimings = {
  limit: 1,
  displayMs: 5_000,
  removalMs: 1_000_000,
  swipeDirection: 'right',
  swipeThresholdPx: 50,
  hotkey: 'F8',
} as const

/** A dialog whose code is still loading shows a spinner after half a second: most come sooner. */
export const dialogTimings = { spinnerDelayMs: 500 } as const

export const tooltipTimings = { openDelayMs: 700, skipDelayMs: 300 } as const

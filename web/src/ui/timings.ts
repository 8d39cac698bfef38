/** Times are milliseconds. */

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

/** Milliseconds that the toast stays readable before the redirect to the sign-in page. */
export const adminRedirectMs = 1_500

/** Milliseconds: Home to About waits once; About to Home waits, then looks up to ten times for the elder's card. */
export const elderScrollTimings = {
  homeToAboutMs: 100,
  aboutToHomeMs: 200,
  retries: 10,
  retryMs: 100,
} as const

/** Number of skeleton cards while the elders load. */
export const elderPlaceholders = 3

/** Milliseconds to wait for the stylesheet of the map before the address is shown without it. */
export const mapStylesheetWaitMs = 2_000

export const popoverTimings = { widthPx: 384, hideDelayMs: 150, screenMarginPx: 16 } as const

/** Milliseconds from one request of the status to the next. */
export const sftpStatusPollMs = 10_000

/** Milliseconds until the toast about a finished upload closes. */
export const uploadedToastMs = 60_000

/** Milliseconds from the click on 'Reload Application' to the reload. */
export const reloadDelayMs = 500

/** Milliseconds that the banner about an upload and the toast about an unreadable file name stay. */
export const uploadTimings = { bannerMs: 60_000, parseErrorToastMs: 8_000 } as const

/** Times are milliseconds. Those of toasts and of loading dialogs are beside them, in the scripts of every page. */

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

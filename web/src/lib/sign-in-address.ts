/** The login endpoint, which sends the browser to the sign-in panel and from there back to this page. */
export const signInAddress = (page: string = location.pathname + location.search): string =>
  `/api/login?return=${encodeURIComponent(page)}`

/** Milliseconds that the toast about the ended session stays readable before the sign-in page. */
export const signInRedirectMs = 500

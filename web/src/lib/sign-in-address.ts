/** The login endpoint, which sends the browser to the sign-in panel and from there back to this page. */
export const signInAddress = (page: string = location.pathname + location.search): string =>
  `/api/login?return=${encodeURIComponent(page)}`

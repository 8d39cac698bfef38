/** Milliseconds that the toast stays readable before the redirect to the sign-in page. */
export const adminRedirectMs = 1_500

/** Milliseconds that 'not allowed' stays readable before the sign-in page. */
export const adminRedirectMs = 1_500

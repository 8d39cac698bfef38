/**
 * Whether `npm run test:soak` runs, or LONG_JOURNEYS is set. Tests that need it take long, and what they look at is nearly
 * covered by shorter ones.
 */
export const inSoak = Boolean(process.env['LONG_JOURNEYS'])

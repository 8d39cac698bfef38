import { test } from 'vitest'

/** A test of `npm run test:soak` alone: it takes long, and what it looks at is nearly covered by shorter ones. */
export const soakTest = test.runIf(process.env['LONG_JOURNEYS'] === '1')

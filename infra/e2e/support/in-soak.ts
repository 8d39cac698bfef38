import { describe, test } from 'vitest'

/** Whether `npm run test:soak` or the nightly run is on: LONG_JOURNEYS is set. */
export const inSoak = Boolean(process.env['LONG_JOURNEYS'])

const ignore = () => undefined

/** Declares a test of the nightly run and the soak. A cheaper test catches most of its breaks in every run. */
export const nightly = inSoak
  ? test
  : (Object.assign(ignore, { each: () => ignore, skipIf: () => ignore }) as unknown as typeof test)

/** The same for a suite whose tests are all of the nightly run. */
export const nightlySuite = inSoak ? describe : (ignore as unknown as typeof describe)

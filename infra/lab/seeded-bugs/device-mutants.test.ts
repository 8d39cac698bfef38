import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { deviceHistoriesOfARun } from '@fellowship/sync/testing/device-simulation'
import { deviceMutants, deviceSimulationOf, failureOf } from '@fellowship/sync/testing/mutants'

// In the soak: `SEEDED_BUGS=1 npx vitest run device-mutants`.
describe('a history of one device fails by the invariant of each seeded bug', () => {
  test.each(deviceMutants)('$name: $oracle', { timeout: 0 }, async (mutant) => {
    await expect(failureOf(mutant, deviceHistoriesOfARun, await deviceSimulationOf(mutant))).resolves.toMatch(
      /^device history seed \d+/,
    )
  })
})

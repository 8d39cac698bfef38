import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { deviceMutants, deviceSimulationOf, failureOf } from '@fellowship/sync/testing/mutants'

// In the soak: `SEEDED_BUGS=1 npx vitest run device-mutants`.
describe('given a seeded bug, some history of one device fails by the invariant that it violates', () => {
  test.each(deviceMutants)('$name: $oracle', { timeout: 0 }, async (mutant) => {
    await expect(failureOf(mutant, await deviceSimulationOf(mutant))).resolves.toMatch(
      /^device history seed \d+/,
    )
  })
})

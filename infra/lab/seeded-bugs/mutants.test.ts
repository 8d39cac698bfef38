import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { failureOf, mutants, simulationOf } from '@fellowship/sync/testing/mutants'
import { historiesOfARun } from '@fellowship/sync/testing/simulation'

// Mutation testing of the simulation: histories run until one fails, and each seeded bug has to make one fail.
describe('a history of three devices fails by the invariant of each seeded bug', () => {
  test.each(mutants)('$name: $oracle', { timeout: 0 }, async (mutant) => {
    await expect(failureOf(mutant, historiesOfARun, await simulationOf(mutant))).resolves.toMatch(
      /^history seed \d+/,
    )
  })
})

import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { failureOf, mutants, simulationOf } from '@fellowship/sync/testing/mutants'

// Mutation testing of the simulation: histories run until one fails, and each seeded bug has to make one fail.
describe('given a seeded bug, some history of three devices fails by the invariant that it violates', () => {
  test.each(mutants)('$name: $oracle', { timeout: 0 }, async (mutant) => {
    await expect(failureOf(mutant, await simulationOf(mutant))).resolves.toMatch(/^history seed \d+/)
  })
})

import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { mutants, simulationOf } from './mutants.ts'

// The gate that keeps the simulation honest: each bug must be caught. A run stops at the first catch.
describe('every seeded bug is caught', () => {
  test.each(mutants)('$name', { timeout: 0 }, async (mutant) => {
    const runHistory = await simulationOf(mutant)
    await expect(firstCatch(runHistory)).resolves.toMatch(/history seed \d+/)
  })
})

async function firstCatch(runHistory: Awaited<ReturnType<typeof simulationOf>>): Promise<string | undefined> {
  for (let seed = 0; seed < 1000; seed += 1) {
    try {
      await runHistory({ seed, steps: 60 })
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}

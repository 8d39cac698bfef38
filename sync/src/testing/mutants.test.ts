import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { mutants, simulationOf } from './mutants.ts'

// Mutation testing of the simulation: histories run until one fails, and each seeded bug has to make one fail.
describe('given a seeded bug, some history fails', () => {
  test.each(mutants)('$name', { timeout: 0 }, async (mutant) => {
    const runHistory = await simulationOf(mutant)
    await expect(firstFailure(runHistory, mutant.seed)).resolves.toMatch(/history seed \d+/)
  })
})

async function firstFailure(
  runHistory: Awaited<ReturnType<typeof simulationOf>>,
  likely: number,
): Promise<string | undefined> {
  for (let tried = 0; tried < 1000; tried += 1) {
    try {
      await runHistory({ seed: (likely + tried) % 1000, steps: 60 })
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}

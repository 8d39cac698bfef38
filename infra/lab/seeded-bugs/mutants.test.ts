import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { failureOf, mutants, simulationOf } from './mutants.ts'

// In the nightly run and the soak: `SEEDED_BUGS=1 npx vitest run seeded-bugs/mutants.test`.
describe('a history of every run fails by the invariant of each seeded bug', () => {
  test.each(mutants)('$name: $oracle', { timeout: 0 }, async (mutant) => {
    await expect(failureOf(mutant, await simulationOf(mutant))).resolves.toMatch(/^device history seed \d+/)
  })
})

import { test } from 'vitest'
import { assertFits, mutants } from './mutants.ts'

// In every run: the histories with these bugs are part of the nightly run.
test.each(mutants)('a seeded bug fits the source: $name', async (mutant) => {
  await assertFits(mutant)
})

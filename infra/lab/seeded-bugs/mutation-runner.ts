/**
 * Runs tests on a source with one mutant after the other, in one Vitest: to start one for each mutant takes longer than its
 * tests. `mutation.ts` forks it, and ends it with its workers if a mutant hangs.
 */
import path from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'
import type { SourceMutant } from './mutants-of.ts'

export interface MutationRequest {
  mutant: SourceMutant
  /** The start of the paths of the tests. */
  tests: readonly string[]
}

const root = path.resolve(import.meta.dirname, '../../..')
const shared = globalThis as { sourceMutant?: SourceMutant | undefined }
const vitest = await createVitest('test', {
  config: path.join(import.meta.dirname, 'mutation.vitest.ts'),
  watch: false,
  bail: 1,
  reporters: [{}],
})
await vitest.standalone()

process.on('message', (request: MutationRequest) => {
  notices(request).then(
    (isNoticed) => process.send!(isNoticed),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
process.send!('ready')

/** Whether a test fails with the mutant that passes without it; others say nothing, and are left out. */
async function notices({ mutant, tests }: MutationRequest): Promise<boolean> {
  const broken = new Set<string>()
  for (;;) {
    const failed = await failures(mutant, tests, (file) => !broken.has(file))
    if (failed.length === 0) return false
    const anyway = await failures(undefined, tests, (file) => failed.includes(file))
    if (anyway.length === 0) return true
    anyway.forEach((file) => broken.add(file))
    console.error(`fails without a mutant too: ${anyway.join(', ')}`)
  }
}

/** The test files that fail; the first ends the run. */
async function failures(
  mutant: SourceMutant | undefined,
  tests: readonly string[],
  isWanted: (file: string) => boolean,
): Promise<string[]> {
  for (const each of [mutant, shared.sourceMutant])
    if (each) vitest.invalidateFile(path.join(root, each.file))
  shared.sourceMutant = mutant
  const found = await vitest.globTestSpecifications([...tests])
  const wanted = found.filter(({ moduleId }) => isWanted(moduleId))
  if (wanted.length === 0) return []
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted)
  const failed = testModules.filter((module: TestModule) => !module.ok()).map(({ moduleId }) => moduleId)
  // An error outside of every test fails the run too.
  return failed.length === 0 && unhandledErrors.length > 0 ? wanted.map(({ moduleId }) => moduleId) : failed
}

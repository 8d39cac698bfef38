import path from 'node:path'
import { defineConfig } from 'vitest/config'
import type { SourceMutant } from './mutants-of.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const given = process.env['SOURCE_MUTANT']
const ofRun = given === undefined ? undefined : (JSON.parse(given) as SourceMutant)
/** That of the run, or the one that `mutation-runner.ts` has come to. */
const present = () => (globalThis as { sourceMutant?: SourceMutant }).sourceMutant ?? ofRun

const setup = ['./infra/dev/test-site.ts', './infra/dev/test-console.ts', './infra/dev/test-patience.ts']
const unit = {
  setupFiles: ['./infra/dev/test-indexeddb.ts', ...setup],
  expect: { poll: { timeout: 15_000 } },
  testTimeout: 30_000,
}
/** As in `vitest.config.ts`. */
const alone = ['sync/src/client/engine/leader.test.ts', 'sync/src/client/uploads/upload-shared.test.ts']

/** The unit tests of `sync` and the tests of `web` on a source with one mutant, which is in memory alone. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code, id) => {
        const mutant = present()
        if (mutant === undefined || path.relative(root, id) !== mutant.file) return undefined
        return code.slice(0, mutant.start) + mutant.replacement + code.slice(mutant.end)
      },
    },
  ],
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...unit,
          name: 'unit',
          isolate: false,
          include: ['sync/src/**/*.test.ts', 'web/src/**/*.test.ts', 'infra/lab/simulations/*.test.ts'],
          // These seed bugs of their own.
          exclude: ['**/mutants.test.ts', '**/*.pg.test.ts', ...alone],
        },
      },
      { extends: true, test: { ...unit, name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'web',
          pool: 'vmForks',
          environment: 'happy-dom',
          include: ['web/src/**/*.web.test.tsx'],
          ...unit,
          setupFiles: [...setup, './web/src/testing/setup.ts'],
        },
      },
    ],
  },
})

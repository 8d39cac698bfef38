import path from 'node:path'
import { defineConfig } from 'vitest/config'
import type { SourceMutant } from './mutants-of.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const { file, start, end, replacement } = JSON.parse(process.env['SOURCE_MUTANT']!) as SourceMutant

/** The unit tests of `sync` on a source with one mutant, which is in memory alone. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code, id) =>
        path.relative(root, id) === file ? code.slice(0, start) + replacement + code.slice(end) : undefined,
    },
  ],
  test: {
    isolate: false,
    maxWorkers: 2,
    include: ['sync/src/**/*.test.ts', 'infra/lab/simulations/*.test.ts'],
    // These seed bugs of their own.
    exclude: ['**/mutants.test.ts', '**/*.pg.test.ts'],
    setupFiles: ['./infra/dev/test-console.ts'],
    testTimeout: 30_000,
  },
})

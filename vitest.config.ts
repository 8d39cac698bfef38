import { defineConfig } from 'vitest/config'
import { LongestFirst } from './infra/dev/longest-first.ts'

const anywhere = '{packages,sync,api,web,infra}/**'
const never = ['**/node_modules/**', '**/dist/**']
const console = './infra/dev/test-console.ts'
/**
 * A worker reads a module once, not once a file. Pages keep what they know in modules: each file of theirs has modules
 * and a document of its own, though not a process.
 */
const isolate = false

/** A test's file name says what it needs: `.test.ts` nothing, `.pg.test.ts` Postgres, `.web.test.tsx` a document. */
export default defineConfig({
  test: {
    // One more than the smallest machine has cores: tests also wait, for a browser, a disk or a timer, and with two of
    // them a sixth of its time nobody worked.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate,
          include: [`${anywhere}/*.test.ts`],
          exclude: [...never, '**/*.pg.test.ts', 'infra/e2e/**'],
          setupFiles: [console],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'pg',
          isolate,
          include: [`${anywhere}/*.pg.test.ts`],
          exclude: never,
          setupFiles: [console],
          globalSetup: ['./api/src/testing/pg-global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          pool: 'vmForks',
          environment: 'happy-dom',
          include: ['web/src/**/*.web.test.tsx'],
          exclude: never,
          testTimeout: 30_000,
          setupFiles: [console, './web/src/testing/setup.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          isolate,
          include: ['infra/e2e/**/*.test.ts'],
          exclude: never,
          globalSetup: ['./infra/e2e/support/product-global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

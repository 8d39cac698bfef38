import { defineConfig } from 'vitest/config'
import { LongestFirst } from './infra/dev/longest-first.ts'

const anywhere = '{packages,sync,api,web,infra}/**'
const never = ['**/node_modules/**', '**/dist/**']
const setup = ['./infra/dev/test-site.ts', './infra/dev/test-console.ts', './infra/dev/test-patience.ts']
/** Tests of the web project have a document of their own, with what it lacks (web/src/testing/setup.ts). */
const withIndexedDB = ['./infra/dev/test-indexeddb.ts', ...setup]
/** As long as in test-patience.ts, for `expect.poll`: a limit for a busy machine, which no passing test waits for. */
const patience = { poll: { timeout: 45_000 } }
/**
 * A worker loads each module once, not once per file. The web project is isolated, since pages keep state in modules: each
 * file has its own modules and document there.
 */
const isolate = false

/**
 * Flags of Node.js: garbage is collected on the test's own thread, as other tests need the other cores, and less often, as
 * there is more room for young objects.
 */
const execArgv = ['--single-threaded-gc', '--max-semi-space-size=64']

const onlyInSoak = [
  // Minutes of Swift, nginx and three processes; and a kill while a recording goes into a bucket, which is among those too.
  ...(process.env['SEVERAL_KILLS']
    ? []
    : ['**/several-processes-killed.pg.test.ts', '**/uploads-into-bucket-killed.pg.test.ts']),
  // Takes minutes whatever its count: the worker that it kills waits for quiet after each start.
  ...(process.env['COPY_RECORDINGS'] ? [] : ['**/copies-kills.pg.test.ts']),
  // Minutes of many connections, of six clients, of an import of a thousand recordings, and of starts and stops.
  ...(process.env['LONG_JOURNEYS']
    ? []
    : [
        '**/recognised-speech.pg.test.ts',
        '**/stalled-readers.pg.test.ts',
        '**/sftp-clients-killed.pg.test.ts',
        '**/moving-in.pg.test.ts',
        '**/copies-stop.pg.test.ts',
      ]),
  // As long as it says.
  ...(process.env['DAY_MINUTES'] ? [] : ['infra/lab/faults/day.pg.test.ts']),
  // Builds another release first, from the history of the repository.
  ...(process.env['ROLLING_FROM'] ? [] : ['**/rolling-update.pg.test.ts']),
]
/** Minutes each, or nearly covered by shorter tests. */
const journeysOnlyInSoak = process.env['LONG_JOURNEYS']
  ? []
  : [
      'faulty-line',
      'stop-matrix',
      'device-faults',
      'large-backup',
      'stop',
      'bucket',
      'random-walk',
      // The look of pages: no change of data can be lost by it.
      'print',
      'forced-colours',
      'hit-areas',
      'look',
      'ui-pictures',
      'fonts',
      // A minute of sound: web tests encode shorter ones.
      'smaller-upload',
      // Simulated devices lose their power during uploads; the bench syncs and searches ten thousand teachings.
      'upload-relaunched',
      'large-library',
      // Histories of uploads break off at each byte.
      'upload-killed',
      // A browser with a window: a unit test hands messages to the worker, and a web test subscribes.
      'push',
      // Web tests render them from the same rows.
      'visit',
      'whats-new',
      // Unit, web and PostgreSQL tests notice what these guard: see infra/lab/results/test-run.md.
      'admin-keyboard',
      'content-policy',
      'description',
      'feed',
      // Their steps that need a browser stand in the journeys of every run.
      'any-church',
      'browse',
      'collections',
      'comfort',
      'copies',
      'elders',
      'events',
      'handouts',
      'large-text',
      'listening',
      'map',
      'pages',
      'passages',
      'road',
      'said',
      'series',
      'share',
      'upload-refused',
    ].map((name) => `**/${name}.e2e.test.ts`)
/**
 * Each of these has a worker of its own. Most replace the time: what another test of the same worker left waiting would go on
 * in theirs, and never end. The durability of the storage replaces the file system, which a module that was loaded before
 * would not have. Shared files are not queued for other reasons once a test of the same worker has made a database older.
 */
const alone = [
  'api/src/machine/after-quiet.test.ts',
  'api/src/machine/storage/durability.test.ts',
  'sync/src/client/engine/leader.test.ts',
  'sync/src/client/uploads/upload-shared.test.ts',
  ...(process.env['SEEDED_BUGS'] ? ['infra/lab/seeded-bugs/mutants.test.ts'] : []),
  'infra/lab/simulations/device-simulation.test.ts',
]

/** The file name says what a test needs: `.test.ts` nothing, `.pg.test.ts` PostgreSQL, `.web.test.tsx` a DOM. */
export default defineConfig({
  test: {
    // More than the two cores of the smallest machine: tests also wait for browsers, disks and timers. With four workers a
    // run of 785 seconds used 1,217 of processor time, so that a fifth of both cores was idle.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          execArgv,
          isolate,
          include: [`${anywhere}/*.test.ts`],
          exclude: [...never, '**/*.pg.test.ts', 'infra/e2e/**', '**/mutants.test.ts', ...alone],
          setupFiles: withIndexedDB,
          expect: patience,
          testTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'alone',
          execArgv,
          include: alone,
          setupFiles: withIndexedDB,
          expect: patience,
          testTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'pg',
          execArgv,
          isolate,
          include: [`${anywhere}/*.pg.test.ts`],
          exclude: [...never, ...onlyInSoak],
          setupFiles: withIndexedDB,
          expect: patience,
          globalSetup: ['./api/src/testing/pg-global-setup.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'web',
          execArgv,
          pool: 'vmForks',
          environment: 'happy-dom',
          // Node.js 20 fails to link a module of a package that two parts import at the same time: "is not in cache".
          server: { deps: { inline: [/@floating-ui/, /@radix-ui/, /@headlessui/] } },
          include: ['web/src/**/*.web.test.tsx'],
          exclude: never,
          testTimeout: 90_000,
          setupFiles: [...setup, './web/src/testing/setup.ts'],
          expect: patience,
        },
      },
      {
        test: {
          name: 'e2e',
          execArgv,
          isolate,
          include: ['infra/e2e/**/*.test.ts'],
          exclude: [...never, ...journeysOnlyInSoak],
          setupFiles: ['./infra/dev/test-site.ts'],
          globalSetup: ['./infra/e2e/support/product-global-setup.ts'],
          // Each look costs the page and the test a message: at vitest's 50 ms they are a thirtieth of the longest journeys.
          expect: { poll: { interval: 200, timeout: 60_000 } },
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})

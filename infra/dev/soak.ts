/**
 * `npm run test:soak`: long runs of whatever takes a seed, longer than those of the nightly workflow. A failure prints its seed.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const node = (...given: readonly string[]) =>
  spawnSync(process.execPath, given, { cwd: root, stdio: 'inherit', env }).status ?? 1
const vitest = (...given: readonly string[]) => node('node_modules/vitest/vitest.mjs', 'run', ...given)

// A history of one device takes five seconds of a core, one on the real server one and a half. A day of members at their limits
// is an hour of the nightly workflow.
const env: NodeJS.ProcessEnv = {
  SYNC_HISTORIES: '240',
  SYNC_STEPS: '150',
  DOWNLOAD_HISTORIES: '500',
  UPLOAD_HISTORIES: '96',
  // One crash for three of them, a fifth of these power cuts.
  SERVER_HISTORIES: '300',
  LISTENING_HISTORIES: '200',
  SYNC_TRANSACTIONS: '10000',
  // Of processes under load, ten seconds apart.
  SEVERAL_KILLS: '6',
  // The release that is updated: the commit before the newest migration.
  ROLLING_FROM: 'auto',
  COPY_RECORDINGS: '300',
  // Mutated recordings that go in by form, resumable upload and SFTP, and as many more to the reader.
  FUZZED_FILES: '10000',
  FUZZED_CAPTIONS: '10000',
  // Uploads and edits of each of two people.
  LINE_CHANGES: '10',
  // One history for each seeded bug.
  SEEDED_BUGS: '1',
  // Of the mutants of `sync`, with the tests of their folders.
  MUTANTS: '24',
  NEAREST: '1',
  // Random walks of each of four people through the pages, and of two people on one device.
  WALKS: '2',
  SAID_STEPS: '600',
  // Lets the tests run that `npm test` leaves out.
  LONG_JOURNEYS: '1',
  ...process.env,
}

const statuses = [
  vitest(
    '--project=unit',
    '--project=alone',
    '--project=pg',
    'simulation',
    'seeded-bugs/mutants.test',
    'audio-download',
    'upload-histories',
    'server-histories',
    'listening-histories',
    'concurrency',
    'audio-reader',
    'caption-file',
    'hostile-files',
    'copies-kills',
    'small-copy',
    'trim-recording',
    'storage-move',
    'several-processes',
    'uploads-into-bucket-killed',
    'rolling-update',
    'stalled-readers',
    'moving-in',
    'recognised-speech',
  ),
  node('infra/dev/run.mjs', 'infra/dev/build.ts', '--if-needed'),
  // The other journeys would be no longer than at night.
  vitest('--project=e2e', 'random-walk', 'said', 'faulty-line'),
  node('infra/dev/run.mjs', 'infra/lab/seeded-bugs/mutation.ts'),
]
process.exit(Math.max(...statuses))

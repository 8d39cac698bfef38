/**
 * Mutation run over `sync` and over the features of `web` that keep data on the device: seeds one bug after the other, and counts
 * how many the tests notice. Part of the soak. `MUTANTS=100` sets the size of the sample, `MUTATION_SEED=2` takes another one,
 * `MUTANTS_IN=client/outbox` only these files, and `NEAREST=1` only the tests of their folders and those that import them.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { seededRandom } from '@fellowship/sync/testing/random'
import { importingTests } from './importing-tests.ts'
import { mutantsOf, type SourceMutant } from './mutants-of.ts'
import type { MutationRequest } from './mutation-runner.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const wanted = Number(process.env['MUTANTS'] ?? 200)
const random = seededRandom(Number(process.env['MUTATION_SEED'] ?? 1))
const within = process.env['MUTANTS_IN'] ?? ''
/** Of all tests of `sync`, in seconds, a mutant that hangs included. */
const timeLimit = 300
const fewHistories = { SYNC_HISTORIES: '30', SYNC_STEPS: '60', DOWNLOAD_HISTORIES: '10' }
/** A mutant is often noticed by a condition that never comes true: milliseconds, as of `expect.poll` in the configuration. */
const patience = { TEST_PATIENCE: '15000' }
let runner: ChildProcess | undefined

const folders = [
  ...['call', 'client', 'protocol', 'server'].map((name) => `sync/src/${name}`),
  ...['audio', 'uploads', 'listening', 'sync'].map((name) => `web/src/features/${name}`),
]
const all = folders
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.posix.join(folder, name),
    ),
  )
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|\.worker\./.test(name))
  .filter((name) => name.includes(within))
  .sort()
  .flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')))
const left = [...all]
const sample = Array.from(
  { length: Math.min(wanted, all.length) },
  () => left.splice(random.int(left.length), 1)[0]!,
)

const survivors: SourceMutant[] = []
for (const [at, mutant] of sample.entries()) {
  const caughtBy = await firstFailing(mutant)
  const { file, line, shown } = mutant
  console.log(`${at + 1}/${sample.length} ${caughtBy ?? 'SURVIVED'}: ${file}:${line} ${shown}`)
  if (caughtBy === undefined) survivors.push(mutant)
}
const caught = sample.length - survivors.length
console.log(
  `${caught} of ${sample.length} mutants were caught (${((caught / sample.length) * 100).toFixed(1)} %), of ${all.length} in ${within || folders.join(', ')}`,
)

await endRunner()

/** The tests that notice a mutant: of the file, of its folder, that import it, then all that load it, with few histories. */
async function firstFailing(mutant: SourceMutant): Promise<string | undefined> {
  const name = path.parse(mutant.file).name
  const folder = path.dirname(mutant.file)
  if (await isNoticed(mutant, [`${folder}/${name}`])) return 'its own tests'
  if (await isNoticed(mutant, [`${folder}/`])) return 'the tests of its folder'
  const importing = importingTests(mutant.file)
  if (importing.length > 0 && (await isNoticed(mutant, importing))) return 'a test that imports it'
  if (process.env['NEAREST']) return undefined
  if (!passRelated(mutant)) return 'the tests that load it'
  return undefined
}

/** One that hangs is noticed, and its runner is ended with the workers: they would go on for hours. */
async function isNoticed(mutant: SourceMutant, tests: readonly string[]): Promise<boolean> {
  runner ??= await startRunner()
  const limit = new AbortController()
  const { signal } = limit
  const answer = once(runner, 'message', { signal }).then(([isFailed]) => isFailed as boolean)
  runner.send({ mutant, tests } satisfies MutationRequest)
  const end = once(runner, 'exit', { signal }).then(() => Promise.reject(new Error('The runner ended.')))
  const outcome = await Promise.race([answer, end, delay(timeLimit * 1000, 'hangs' as const, { signal })])
  // Those that lost are over too.
  limit.abort()
  if (outcome === 'hangs') await endRunner()
  return outcome !== false
}

async function startRunner(): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, 'mutation-runner.ts'), {
    cwd: root,
    // A process group of its own, with its workers.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...fewHistories, ...patience },
  })
  await once(child, 'message')
  return child
}

async function endRunner(): Promise<void> {
  if (runner?.pid === undefined) return
  const ended = once(runner, 'exit')
  process.kill(-runner.pid, 'SIGKILL')
  runner = undefined
  await ended
}

function passRelated(mutant: SourceMutant): boolean {
  const { status } = spawnSync(
    // It ends the workers too.
    'timeout',
    [
      '--signal=KILL',
      String(timeLimit),
      process.execPath,
      'node_modules/vitest/vitest.mjs',
      'related',
      '--run',
      mutant.file,
      '--config=infra/lab/seeded-bugs/mutation.vitest.ts',
      '--bail=1',
      '--passWithNoTests',
    ],
    {
      cwd: root,
      env: { ...process.env, ...fewHistories, ...patience, SOURCE_MUTANT: JSON.stringify(mutant) },
    },
  )
  return status === 0
}

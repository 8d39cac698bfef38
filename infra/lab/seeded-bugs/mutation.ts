/**
 * Mutation run over `sync`: seeds one bug after the other, and counts how many the tests notice. Part of the soak.
 * `MUTANTS=100` sets the size of the sample, `MUTATION_SEED=2` takes another one, `MUTANTS_IN=client/outbox` only these files.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { seededRandom } from '@fellowship/sync/testing/random'
import { mutantsOf, type SourceMutant } from './mutants-of.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const wanted = Number(process.env['MUTANTS'] ?? 200)
const random = seededRandom(Number(process.env['MUTATION_SEED'] ?? 1))
const within = process.env['MUTANTS_IN'] ?? ''
/** Of all tests of `sync`, a mutant that hangs included. */
const timeLimitMs = 300_000

const all = readdirSync(path.join(root, 'sync/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(call|client|protocol|server)[\\/].+\.ts$/.test(name) && !name.includes('.test.'))
  .filter((name) => name.includes(within))
  .sort()
  .map((name) => path.posix.join('sync/src', name))
  .flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')))
const left = [...all]
const sample = Array.from(
  { length: Math.min(wanted, all.length) },
  () => left.splice(random.int(left.length), 1)[0]!,
)

const survivors = sample.filter((mutant, at) => {
  const caughtBy = firstFailing(mutant)
  const { file, line, shown } = mutant
  console.log(`${at + 1}/${sample.length} ${caughtBy ?? 'SURVIVED'}: ${file}:${line} ${shown}`)
  return caughtBy === undefined
})
const caught = sample.length - survivors.length
console.log(
  `${caught} of ${sample.length} mutants were caught (${((caught / sample.length) * 100).toFixed(1)} %), of ${all.length} in ${within || 'sync'}`,
)

/** The tests that notice a mutant: those beside the file first, then all that load it, with few histories. */
function firstFailing(mutant: SourceMutant): string | undefined {
  const name = path.basename(mutant.file, '.ts')
  if (!passes(mutant, ['run', `${path.dirname(mutant.file)}/${name}`])) return 'its own tests'
  if (!passes(mutant, ['related', '--run', mutant.file])) return 'the tests that load it'
  return undefined
}

function passes(mutant: SourceMutant, given: readonly string[]): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...given,
      '--config=infra/lab/seeded-bugs/mutation.vitest.ts',
      '--bail=1',
      '--passWithNoTests',
    ],
    {
      cwd: root,
      timeout: timeLimitMs,
      env: {
        ...process.env,
        SYNC_HISTORIES: '30',
        SYNC_STEPS: '60',
        DOWNLOAD_HISTORIES: '10',
        SOURCE_MUTANT: JSON.stringify(mutant),
      },
    },
  )
  return status === 0
}

// `npm test`: sets itself up, then types, lint, format, unit, Postgres, DOM and browser tests.
// The last line counts passed and failed tests, after a list of the failed ones.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { memoryFolder, removeMemoryFolder } from './memory-folder.mjs'
import { ensureInstalled, root, run, runTypeScript } from './self-setup.mjs'

ensureInstalled()
// A TMPDIR that was set for the tests is used as it is.
const inMemory = process.env.TMPDIR ? undefined : memoryFolder()
if (inMemory) {
  process.env.TMPDIR = inMemory
  process.once('exit', () => removeMemoryFolder(inMemory))
}
const report = path.join(tmpdir(), `fellowship-tests-${process.pid}.json`)
const results = []
const failures = []

const checked = begin('infra/dev/check.ts')
const built = runTypeScript('infra/dev/build.ts', ['--if-needed']) === 0
// Tests that kill servers use the built one, but never one of an older build.
if (built) process.env.TEST_BUILT = '1'
// One run for all of them: tests that wait for a browser leave their core to the others.
const tests = vitest(['unit', 'alone', 'pg', 'web', ...(built ? ['e2e'] : [])])
results.push(step('check', await checked), step('build', built), ...tests)

const passed = results.filter(Boolean).length
const failed = results.length - passed
for (const failure of failures) console.log(failure)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function step(name, ok) {
  if (!ok) {
    console.error(`FAILED: ${name}`)
    failures.push(`failed: ${name}`)
  }
  return ok
}

/** Runs a TypeScript file in the background; prints its output when it ends, and resolves to whether it succeeded. */
function begin(file) {
  const said = path.join(tmpdir(), `fellowship-check-${process.pid}.log`)
  const output = openSync(said, 'w')
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: root,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  process.once('exit', () => child.kill())
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.stdout.write(readFileSync(said))
      rmSync(said, { force: true })
      resolve(code === 0)
    })
  })
}

/** One entry per test of these projects; a run that ended without a report is one failure. */
function vitest(projects) {
  rmSync(report, { force: true })
  const args = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const status = run('npx', [
    '--no-install',
    'vitest',
    'run',
    ...args,
    ...projects.map((name) => `--project=${name}`),
  ])
  let tests = []
  try {
    const files = JSON.parse(readFileSync(report, 'utf8')).testResults
    tellSlowest(files)
    tests = files.flatMap((file) =>
      file.assertionResults.length === 0
        ? [{ status: file.status, file: file.name, fullName: '', failureMessages: [file.message] }]
        : file.assertionResults.map((test) => ({ ...test, file: file.name })),
    )
  } catch {
    // Without a report there is nothing to count; the exit code below counts as one failure.
  }
  rmSync(report, { force: true })
  const skipped = tests.filter(({ status: s }) => s !== 'passed' && s !== 'failed').length
  if (skipped > 0) console.log(`${skipped} skipped in ${projects.join(', ')} (see the reasons above)`)
  failures.push(...tests.filter(({ status: s }) => s !== 'passed').map(told))
  const counted = tests
    .filter(({ status: s }) => s === 'passed' || s === 'failed')
    .map(({ status: s }) => s === 'passed')
  if (process.env.CI && skipped > 0) counted.push(false)
  // Errors outside tests, and runs without tests, fail as well.
  if (status !== 0 && counted.every(Boolean)) {
    counted.push(false)
    failures.push(`failed: ${projects.join(', ')} ended with ${status}, though no test failed`)
  }
  return counted
}

/** Where the time of the run goes: files run beside each other, so their seconds add up to more than it. */
function tellSlowest(files) {
  const timed = files.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
  const slowest = timed.toSorted((one, other) => other.seconds - one.seconds).slice(0, 20)
  for (const { name, seconds } of slowest)
    console.log(`${seconds.toFixed(0).padStart(4)} s  ${path.relative(root, name)}`)
}

/** A failed test: its file, its name, and the beginning of each reason. */
function told({ status, file, fullName, failureMessages }) {
  const reason = (failureMessages ?? []).map((message) => message.slice(0, 1500)).join('\n')
  return `${status}: ${path.relative(process.cwd(), file)} > ${fullName}\n${reason}`
}

// `npm test`: sets itself up, then types, lint, format, unit, Postgres, DOM and browser tests.
// The last line counts passed and failed tests; before it, what failed is told once more.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureInstalled, run, runTypeScript } from './self-setup.mjs'

ensureInstalled()
const report = path.join(tmpdir(), `fellowship-tests-${process.pid}.json`)
const results = []
const failures = []

results.push(step('check', () => runTypeScript('infra/dev/check.ts')))
const built = step('build', () => runTypeScript('infra/dev/build.ts', ['--if-needed']))
results.push(built)
// Tests that kill servers use the built one, but never one of an older build.
if (built) process.env.TEST_BUILT = '1'
results.push(...vitest(['unit', 'own-time', 'pg', 'web']))
results.push(...vitest(['e2e']))

const passed = results.filter(Boolean).length
const failed = results.length - passed
for (const failure of failures) console.log(failure)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function step(name, work) {
  const ok = work() === 0
  if (!ok) {
    console.error(`FAILED: ${name}`)
    failures.push(`failed: ${name}`)
  }
  return ok
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
    tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) =>
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

/** A test that did not pass: where, which, and the beginning of the reason. */
function told({ status, file, fullName, failureMessages }) {
  const reason = (failureMessages ?? []).join('\n').slice(0, 1500)
  return `${status}: ${path.relative(process.cwd(), file)} > ${fullName}\n${reason}`
}

/** `npm run check`: types in every room, lint, format. Everything runs; the exit code says whether all passed. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const steps: [name: string, command: string, args: string[]][] = [
  ['types', 'turbo', ['run', 'typecheck', '--output-logs=errors-only', '--ui=stream']],
  ['types of the service worker', 'tsc', ['-p', 'web/src/sw']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'oxfmt', ['--check']],
]

let failed = 0
for (const [name, command, args] of steps) {
  const { status } = spawnSync(path.join(root, 'node_modules/.bin', command), args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    shell: process.platform === 'win32',
  })
  if (status !== 0) failed += 1
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
}
process.exit(failed === 0 ? 0 : 1)

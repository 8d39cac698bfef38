// Plain JavaScript without packages: it runs on a fresh clone, before anything is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

/** Installs the packages of package-lock.json unless they are installed. Prints the reason and exits if that fails. */
export function ensureInstalled() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`This needs Node 20.19 or newer; this is ${process.versions.node}.`)
  }
  if (isInstalled()) return
  console.log('Installing packages (once, and after updates) …')
  // The build needs the development dependencies, also under NODE_ENV=production.
  const done = run('npm', ['ci', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error'])
  if (done !== 0) fail('npm ci failed; see its message above. Check the network and run the command again.')
}

/** Whether node_modules/.package-lock.json lists every package of the lock file at its version. */
function isInstalled() {
  const installedLock = path.join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedLock)) return false
  const installed = packagesOf(installedLock)
  return Object.entries(packagesOf(path.join(root, 'package-lock.json'))).every(
    ([place, { version, optional, link }]) =>
      !place.startsWith('node_modules/') ||
      link ||
      installed[place]?.version === version ||
      (optional && !installed[place]),
  )
}

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages

/** Runs a program in the project's root with its output printed; returns the exit code. */
export function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  })
  return status ?? 1
}

/** Runs a TypeScript file of the project; returns the exit code. */
export const runTypeScript = (file, args = [], env = {}) =>
  run(process.execPath, ['--import', 'tsx', file, ...args], env)

export function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

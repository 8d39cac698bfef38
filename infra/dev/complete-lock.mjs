// `npm run lock`: makes package-lock.json name the native packages of every platform.
//
// A lock file that was written where the registry does not offer all of them leaves them out, and `npm ci` then
// refuses it everywhere (npm/cli issue 4828). What is missing follows from the parents: the name and exact version,
// and the platform from the name. npm fills in the rest from the registry where it installs one.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'aix',
]
const processors = [
  'arm64',
  'x64',
  'arm',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
]

/** Adds what is missing; returns the places added. */
export function completeLock(lock) {
  const added = []
  for (const [place, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (findInstalled(lock.packages, place, name)) continue
      const platform = platformOf(name)
      if (!platform)
        throw new Error(
          `${place || 'package.json'} wants ${name}@${version}, which no name of a platform explains.`,
        )
      const at = `node_modules/${name}`
      lock.packages[at] = {
        version,
        ...platform,
        ...(parent.dev && { dev: true }),
        optional: true,
        license: 'MIT',
      }
      added.push(at)
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  return added
}

/** As Node looks: in the parent's own folder, then up. */
function findInstalled(packages, place, name) {
  for (
    let folder = place;
    ;
    folder = folder.includes('/node_modules/') ? folder.slice(0, folder.lastIndexOf('/node_modules/')) : ''
  ) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true
    if (folder === '') return false
  }
}

function platformOf(name) {
  // Watches files on macOS and says so in no part of its name.
  if (name === 'fsevents') return { os: ['darwin'] }
  const words = name.split('/').at(-1).split(/[-_.]/)
  const os = systems.filter((system) => words.includes(system))
  if (words.includes('windows')) os.push('win32')
  const cpu = processors.filter((processor) => words.includes(processor))
  if (words.includes('64')) cpu.push('x64')
  if (/eabi/.test(name)) cpu.push('arm')
  if (cpu.length === 0) return undefined
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined
  return { cpu: [...new Set(cpu)], ...(libc && { libc }), ...(os.length > 0 && { os }) }
}

if (process.argv[1] === import.meta.filename) {
  const file = path.resolve(import.meta.dirname, '../../package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const added = completeLock(lock)
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(
    added.length === 0 ? 'The lock file is complete.' : `Added ${added.length} packages of other platforms.`,
  )
}

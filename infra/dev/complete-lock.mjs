// `npm run lock`: makes package-lock.json name the native packages of every platform.
//
// A lock file written where the registry does not serve all of them omits them, and `npm ci` then fails on other platforms
// (npm/cli issue 4828). Name and exact version follow from the parent package, the platform from the name; npm fetches
// the rest from the registry when it installs one.
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

/** Adds the missing packages; returns their paths. */
export function completeLock(lock) {
  const added = []
  for (const [place, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (findInstalled(lock.packages, place, name)) continue
      const platform = platformOf(name)
      if (!platform)
        throw new Error(
          `${place || 'package.json'} wants ${name}@${version}, and its name has no known platform.`,
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

/** Node's resolution: the parent's own folder, then upwards. */
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
  // A macOS package whose name has no platform.
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

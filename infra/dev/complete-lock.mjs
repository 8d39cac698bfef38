// `npm run lock`: makes package-lock.json name the native packages of every platform.
//
// A lock file written where the registry does not serve all of them omits them, and `npm ci` then fails on other platforms
// (npm/cli issue 4828). Name and exact version follow from the parent package, the platform from the name. The checksum is
// asked from the registry; where that one does not serve the package, a later run elsewhere adds it, and until then npm
// installs that package unchecked. `lock.test.ts` allows that only for tools of developers on other platforms.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

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

/** The registry's packages in a lock file that have no checksum, by their path. */
export function withoutIntegrity(lock) {
  return Object.entries(lock.packages)
    .filter(([place, entry]) => place.includes('node_modules/') && !entry.link && !entry.integrity)
    .map(([place]) => place)
}

/**
 * Adds the checksums that `ask` knows. Asks no more once the registry did not know ten in a row.
 *
 * @param ask checksum of name@version; undefined where the registry does not serve it
 * @returns how many were added
 */
export async function addIntegrity(lock, ask) {
  let added = 0
  let unknown = 0
  for (const place of withoutIntegrity(lock)) {
    if (unknown >= 10) break
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const integrity = await ask(`${name}@${lock.packages[place].version}`)
    unknown = integrity === undefined ? unknown + 1 : 0
    if (integrity === undefined) continue
    lock.packages[place].integrity = integrity
    added += 1
  }
  return added
}

async function askRegistry(wanted) {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', wanted, 'dist.integrity'])
    return /^sha512-\S+$/.exec(stdout.trim())?.[0]
  } catch {
    return undefined
  }
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
  const added = completeLock(lock).length
  const checked = await addIntegrity(lock, askRegistry)
  if (added + checked > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`Added ${added} packages of other platforms and ${checked} checksums.`)
  const left = withoutIntegrity(lock).length
  if (left > 0) console.log(`This registry did not tell the checksums of ${left} more.`)
}

// `npm run lock`: makes package-lock.json name the native packages of every platform.
//
// If the registry does not serve all of them, npm omits them from the lock file, and `npm ci` then fails on other platforms
// (npm/cli issue 4828). Name and exact version follow from the parent package, the platform from the name, and the checksum
// from a fresh resolution by npm. If the registry does not serve a package, a later run elsewhere adds its checksum.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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
 * Adds the checksums that are in `other`, a lock file of the same packages.
 *
 * @returns how many were added
 */
export function addIntegrity(lock, other) {
  let added = 0
  for (const place of withoutIntegrity(lock)) {
    const entry = lock.packages[place]
    const found = other.packages[place]
    if (!found?.integrity || found.version !== entry.version) continue
    entry.integrity = found.integrity
    added += 1
  }
  return added
}

/** npm’s own resolution of the entries without a checksum. The other entries are unchanged. */
async function resolveAnew(root, lock) {
  const folder = await mkdtemp(path.join(tmpdir(), 'lock-'))
  try {
    const places = Object.keys(lock.packages).filter((place) => !place.includes('node_modules/'))
    for (const place of places) {
      await mkdir(path.join(folder, place), { recursive: true })
      await cp(path.join(root, place, 'package.json'), path.join(folder, place, 'package.json'))
    }
    const unchecked = withoutIntegrity(lock)
    const packages = Object.fromEntries(
      Object.entries(lock.packages).filter(([place]) => !unchecked.includes(place)),
    )
    const file = path.join(folder, 'package-lock.json')
    await writeFile(file, JSON.stringify({ ...lock, packages }))
    const quietly = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']
    await promisify(execFile)('npm', ['install', ...quietly], { cwd: folder })
    return JSON.parse(await readFile(file, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
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
  const root = path.resolve(import.meta.dirname, '../..')
  const file = path.join(root, 'package-lock.json')
  const lock = JSON.parse(await readFile(file, 'utf8'))
  const added = completeLock(lock).length
  const isComplete = withoutIntegrity(lock).length === 0
  const checked = isComplete ? 0 : addIntegrity(lock, await resolveAnew(root, lock))
  if (added + checked > 0) await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`Added ${added} packages of other platforms and ${checked} checksums.`)
  const left = withoutIntegrity(lock)
  if (left.length > 0) console.log(`This registry did not tell the checksums of ${left.join(', ')}.`)
}

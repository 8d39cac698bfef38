import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { type DatabaseFolder } from './embedded-folder.ts'

/**
 * @throws Error with a sentence where the files were made by another major version, which cannot read them
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
 * @returns its new path; undefined where there is none
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
 * @throws Error with a sentence where an older database lies aside and none is in its place: bringing a backup into a new
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

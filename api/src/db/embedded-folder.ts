import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { canReach, type RunAs } from './embedded-user.ts'

/** The database's folder. */
export interface DatabaseFolder {
  /** `<dataDir>/postgres` */
  readonly folder: string
  /** The files of the database, within it. */
  readonly cluster: string
  /**
   * Set where PostgreSQL's user cannot reach the folder by its path: this process then opens it and passes it as file
   * descriptor 3.
   */
  readonly handOver: boolean
}

/** The owner of a folder that exists. */
export function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  try {
    const { uid, gid } = statSync(folder)
    return { uid, gid }
  } catch {
    return undefined
  }
}

/**
 * Makes the database's folder, with the right owner and mode 0700. Works below folders that only root may enter, such as
 * /root.
 *
 * @throws Error with a sentence where that is not possible
 */
export function prepareFolder(dataDir: string, as: RunAs): DatabaseFolder {
  const folder = path.join(dataDir, 'postgres')
  mkdirSync(folder, { recursive: true })
  const { uid } = statSync(folder)
  if (as.uid === undefined) {
    if (process.getuid && uid !== process.getuid()) throw wrongOwner(folder)
  } else if (uid !== as.uid) chownSync(folder, as.uid, as.gid!)
  chmodSync(folder, 0o700)
  const handOver = !canReach(folder, as)
  if (handOver && !existsSync('/proc/self/fd')) throw closed(folder)
  return { folder, cluster: path.join(folder, 'data'), handOver }
}

/** The path under which the server finds a file of the folder, where it got that as descriptor 3 too (proc(5)). */
export const asSeenByServer = ({ folder, handOver }: DatabaseFolder, name: string) =>
  handOver ? `/proc/self/fd/3/${name}` : path.join(folder, name)

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

const wrongOwner = (folder: string) =>
  new Error(
    `The database in ${folder} belongs to another user of this machine. ` +
      'Start as that user or as root, or give the folder to the user that starts the product.',
  )

const closed = (folder: string) =>
  new Error(
    `PostgreSQL's user cannot enter ${folder}. ` +
      'Open the folders above it to other users (chmod o+x), or set DATA_DIR to another folder.',
  )

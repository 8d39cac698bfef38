import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** The database's folder. */
export interface DatabaseFolder {
  /** `<dataDir>/postgres` */
  readonly folder: string
  /** The files of the database, within it. */
  readonly cluster: string
  /**
   * Set if PostgreSQL's user cannot reach the folder by its path: this process then opens it and passes it as file
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
 * @throws Error with a sentence if that is not possible
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

/** The path under which the server finds a file of the folder, if it got that as descriptor 3 too (proc(5)). */
export const asSeenByServer = ({ folder, handOver }: DatabaseFolder, name: string) =>
  handOver ? `/proc/self/fd/3/${name}` : path.join(folder, name)

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

/** The user PostgreSQL runs as, as options for spawn; empty for the current user. */
export type RunAs = { uid: number; gid: number } | Record<string, never>

/**
 * PostgreSQL refuses to run as root, so root drops to the owner of an existing data folder, else to `postgres`,
 * else to `nobody`. Other users run it as themselves.
 *
 * @param owner of the data folder, if there is one
 */
export function chooseUser(owner: { uid: number; gid: number } | undefined): RunAs {
  if (process.getuid?.() !== 0) return {}
  if (owner && owner.uid !== 0) return owner
  const users = accounts()
  return users.get('postgres') ?? users.get('nobody') ?? { uid: 65_534, gid: 65_534 }
}

/** Whether that user can enter and read `folder`: the kernel decides, with modes, ACLs and mounts. */
export function canReach(folder: string, as: RunAs): boolean {
  const check = spawnSync('/bin/sh', ['-c', '[ -r "$1" ] && [ -x "$1" ]', 'sh', folder], { ...as, cwd: '/' })
  if (check.error) throw droppingFailed(check.error)
  return check.status === 0
}

/** The error for a root that may not change its user, as in some containers. */
export function droppingFailed(error: Error): Error {
  return new Error(
    `PostgreSQL does not run as root, and this root may not become another user (${error.message}). ` +
      'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

function accounts(): Map<string, { uid: number; gid: number }> {
  const found = new Map<string, { uid: number; gid: number }>()
  for (const line of readPasswd().split('\n')) {
    const [name, , uid, gid] = line.split(':')
    // Unsigned: some systems write -2 for nobody.
    if (name && Number(uid) !== 0) found.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 })
  }
  return found
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

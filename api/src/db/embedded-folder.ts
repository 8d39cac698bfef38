import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
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

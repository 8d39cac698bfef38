import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { canReach, type RunAs } from './embedded-user.ts'

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
 * A place for the database files that PostgreSQL's user can reach: `<dataDir>/postgres`, or, where the data folder
 * lies in a closed one such as /root, a folder in /var/lib that `<dataDir>/postgres` is then a link to.
 *
 * @returns the real path, which exists with the right owner and mode 0700
 */
export function prepareFolder(dataDir: string, as: RunAs): string {
  mkdirSync(dataDir, { recursive: true })
  const wanted = path.join(dataDir, 'postgres')
  const folder = linkTarget(wanted) ?? (canReach(dataDir, as) ? wanted : elsewhere(dataDir, wanted))
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  const { uid } = statSync(folder)
  if (as.uid === undefined) {
    if (process.getuid && uid !== process.getuid()) throw wrongOwner(folder)
  } else if (uid !== as.uid) chownSync(folder, as.uid, as.gid!)
  chmodSync(folder, 0o700)
  return folder
}

/**
 * @throws Error with a sentence where the files were made by another major version, which cannot read them
 */
export function checkMajorVersion(folder: string, { major }: Binaries): void {
  const file = path.join(folder, 'PG_VERSION')
  if (!existsSync(file)) return
  const found = Number.parseInt(readFileSync(file, 'utf8'), 10)
  if (found === major) return
  throw new Error(
    `The database in ${folder} was made by PostgreSQL ${found}, and this version of the product brings PostgreSQL ${major}. ` +
      'Start the version of the product that made it, create a backup there (Administration, Backup), and bring it in here ' +
      'with: npm run backup:restore FILE',
  )
}

function linkTarget(link: string): string | undefined {
  try {
    return lstatSync(link).isSymbolicLink() ? path.resolve(path.dirname(link), readlinkSync(link)) : undefined
  } catch {
    return undefined
  }
}

/** Named after the data folder, so that two installations never meet. */
function elsewhere(dataDir: string, link: string): string {
  if (existsSync(path.join(link, 'data'))) {
    throw new Error(
      `PostgreSQL's user cannot enter ${dataDir}, where the database is. ` +
        'Open the folders above it to other users (chmod o+x), or move the data folder and set DATA_DIR.',
    )
  }
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
  const folder = path.join('/var/lib', `fellowship-data-${name}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  symlinkSync(folder, link)
  return folder
}

const wrongOwner = (folder: string) =>
  new Error(
    `The database in ${folder} belongs to another user of this machine. ` +
      'Start as that user or as root, or give the folder to the user that starts the product.',
  )

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  checkMajorVersion,
  checkNothingAside,
  findBinaries,
  moveAside,
  type Binaries,
} from './embedded-binaries.ts'
import { embeddedFault, supervise, type EmbeddedServer } from './embedded-process.ts'
import {
  asSeenByServer,
  canReach,
  chooseUser,
  droppingFailed,
  ownerOf,
  prepareFolder,
  type DatabaseFolder,
  type RunAs,
} from './embedded-folder.ts'
import { claim, endOrphan, type Claim } from './embedded-owner.ts'

export interface EmbeddedOptions {
  /** The database files are kept in `<dataDir>/postgres/data`. */
  dataDir: string
  /** For tests: not durable, and the data folder is deleted when the server ends. */
  throwaway?: boolean
  /** Called when a server that ended by itself is being restarted. */
  onRestart?: (why: string) => void
  /** A database of another major version is moved aside and a new one made, and this called with its new path. */
  onMovedAside?: (aside: string) => void
}

export const embeddedUser = 'fellowship'

/**
 * Starts the PostgreSQL that npm installed, making its files on the first start. Works as root too (it then runs as
 * an unprivileged user), recovers after a crash, and replaces a server whose starter was killed. It ends when this process
 * ends, however that happens, and is restarted if it ends by itself.
 *
 * @throws Error with a sentence that names the way out
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new Error('On Windows no PostgreSQL comes along. Set DATABASE_URL to a PostgreSQL of your own.')
  }
  const as = chooseUser(ownerOf(path.join(options.dataDir, 'postgres')))
  const binaries = findBinaries(as)
  const place = prepareFolder(options.dataDir, as)
  const { folder, cluster } = place
  if (!options.onMovedAside) {
    checkMajorVersion(cluster, binaries)
    checkNothingAside(place)
  }
  if (options.throwaway && as.uid !== undefined) chownSync(options.dataDir, as.uid, as.gid!)
  const socketFolder = makeSocketFolder(as)
  const user = as.uid === undefined ? undefined : { uid: as.uid, gid: as.gid! }
  let claimed: Claim
  try {
    claimed = await claim({ folder, cluster, socketFolder, user })
  } catch (error) {
    rmSync(socketFolder, { recursive: true, force: true })
    throw error
  }
  try {
    await endOrphan(cluster)
    const aside = options.onMovedAside && moveAside(place, binaries)
    if (aside) options.onMovedAside?.(aside)
    if (!existsSync(cluster)) initialise(binaries, place, as)
    const program = path.join(binaries.home, 'bin', 'postgres')
    const { lock } = claimed
    const server = await supervise({ program, place, lock, socketFolder, as, ...options })
    return { ...server, stop: (known) => server.stop(known).finally(() => claimed.release()) }
  } catch (error) {
    rmSync(socketFolder, { recursive: true, force: true })
    claimed.release()
    throw error
  }
}

/** A unix socket's path may have 107 characters; the longest name in the folder is `.s.PGSQL.5432.lock`. */
const longestSocketFolder = 107 - '/.s.PGSQL.5432.lock'.length

function makeSocketFolder(as: RunAs): string {
  const base = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'].find(
    (place) =>
      place.length + '/pg-XXXXXX'.length <= longestSocketFolder && existsSync(place) && canReach(place, as),
  )
  if (!base) throw new Error('There is no folder for temporary files. Set TMPDIR to one with a short path.')
  const folder = mkdtempSync(path.join(base, 'pg-'))
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid!)
  chmodSync(folder, 0o700)
  return folder
}

/** Made under another name, then renamed: an interrupted first start leaves nothing that looks like a database. */
function initialise({ home }: Binaries, place: DatabaseFolder, as: RunAs): void {
  const aside = `${place.cluster}.new`
  rmSync(aside, { recursive: true, force: true })
  // The builtin provider sorts the same on every system, and needs no installed locale.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const descriptor = openSync(place.folder, 'r')
  const made = spawnSync(
    path.join(home, 'bin', 'initdb'),
    ['-D', asSeenByServer(place, 'data.new'), '-U', embeddedUser, '-A', 'trust', ...locale],
    {
      ...as,
      cwd: '/',
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    },
  )
  closeSync(descriptor)
  if (made.error) throw droppingFailed(made.error)
  if (made.status !== 0) {
    throw embeddedFault(`The database could not be made in ${place.cluster}`, place.folder, made.stderr)
  }
  renameSync(aside, place.cluster)
}

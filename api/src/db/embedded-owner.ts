import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tryKernelLock, type KernelLock } from '../machine/kernel-lock.ts'
import {
  childrenOf,
  commandOf,
  isRunning,
  isZombie,
  processIdentity,
  processSpace,
  workingFolderOf,
} from '../machine/process/process-identity.ts'

/** The process that started the PostgreSQL of a folder, as stored in `<folder>/owner`. */
interface Owner {
  launcher: string
  /** The scope of the launcher's process id: boot and pid namespace. Missing in files of releases before 1.0. */
  space?: string
  socketFolder: string
}

/** The one claim on a database folder. */
export interface Claim {
  /** Inherited by the keeper and by every process of PostgreSQL: while one of them runs, no other process gets the folder. */
  readonly lock: KernelLock
  release(): void
}

export interface ClaimedFolder {
  folder: string
  /** The database files. */
  cluster: string
  socketFolder: string
  /** The user that PostgreSQL runs as, if that is another one. */
  user?: { uid: number; gid: number } | undefined
}

/**
 * Claims a database folder for this process by a kernel lock: refuses while another process uses it, also one of another
 * container, and ends a PostgreSQL whose starter was killed. A lock of a machine or container that is gone is free.
 *
 * @throws Error with a sentence
 */
export async function claim({ folder, cluster, socketFolder, user }: ClaimedFolder): Promise<Claim> {
  const lock = await waitForLock(folder, cluster, user)
  try {
    const before = readOwner(folder)
    if (!before || !launcherRuns(before)) {
      if (before) rmSync(before.socketFolder, { recursive: true, force: true })
    } else if (before.space === undefined) {
      // A release before 1.0 holds no lock.
      throw inUse(folder, before)
    }
    // Otherwise this folder is a copy, made while that process used the first one, such as a snapshot of its disk.
    const launcher = processIdentity(process.pid) ?? String(process.pid)
    writeOwner(folder, { launcher, space: processSpace(), socketFolder })
  } catch (error) {
    lock.release()
    throw error
  }
  return {
    lock,
    release() {
      rmSync(ownerFile(folder), { force: true })
      lock.release()
    },
  }
}

/**
 * A PostgreSQL that is shutting down has up to 20 s, after which it is killed: it is frozen, or waits for a disk that does not
 * answer. One that this process cannot end is refused after 3 s.
 */
async function waitForLock(
  folder: string,
  cluster: string,
  user: ClaimedFolder['user'],
): Promise<KernelLock> {
  const started = Date.now()
  for (;;) {
    const lock = tryKernelLock(path.join(folder, 'lock'), user)
    if (lock) return lock
    // Read before the owner: a new owner is noted before its PostgreSQL starts, so this is not that one's.
    const postmaster = runningPostmaster(cluster)
    const owner = readOwner(folder)
    if (owner && launcherRuns(owner)) throw inUse(folder, owner)
    const isOurs = owner?.space === processSpace()
    const waitedMs = Date.now() - started
    if (waitedMs > (isOurs ? 30_000 : 3_000)) throw inUse(folder, isOurs ? undefined : owner)
    if (isOurs && postmaster && isRunning(postmaster)) {
      const pid = Number.parseInt(postmaster, 10)
      if (waitedMs > 20_000) killWithProcesses(pid)
      else signal(pid, waitedMs > 10_000 ? 'SIGQUIT' : 'SIGINT')
    }
    await delay(100)
  }
}

const launcherRuns = ({ launcher, space }: Owner) =>
  (space === undefined || space === processSpace()) && isRunning(launcher)

function inUse(folder: string, owner: Owner | undefined): Error {
  const who = !owner
    ? 'a process'
    : owner.space === undefined || owner.space === processSpace()
      ? `process ${Number.parseInt(owner.launcher, 10)}`
      : 'another container'
  return new Error(
    `The database in ${folder} is in use by ${who}. ` +
      'Stop that one first, or set DATA_DIR to another folder.',
  )
}

/**
 * Ends a PostgreSQL that outlived the process that started it. PostgreSQL itself refuses to start while any process has the
 * id in its lock file, even a zombie or an unrelated process that got the id since; this checks which process it is.
 * Only for the holder of the claim: every process of an earlier PostgreSQL held it too, so that a lock file whose process
 * is no PostgreSQL of this folder is known to be left over.
 *
 * @param cluster the database files
 */
export async function endOrphan(cluster: string): Promise<void> {
  await endPostmaster(cluster)
  if (!existsSync(lockFile(cluster))) return
  // A crash between creating and writing the file leaves it without an id, and PostgreSQL would refuse to start until it
  // is removed. A server that is just starting writes its id in a moment.
  await delay(500)
  await endPostmaster(cluster)
  rmSync(lockFile(cluster), { force: true })
}

async function endPostmaster(cluster: string): Promise<void> {
  const started = Date.now()
  for (let pid = postmasterOf(cluster); pid !== undefined; pid = postmasterOf(cluster)) {
    if (isZombie(pid) || !isPostmasterOf(cluster, pid)) {
      // A surviving server process still holds the shared memory, which PostgreSQL checks when it starts.
      rmSync(lockFile(cluster), { force: true })
      return
    }
    signal(pid, Date.now() - started > 10_000 ? 'SIGQUIT' : 'SIGINT')
    await delay(100)
  }
}

/** Kills a PostgreSQL with its processes: those that are frozen too would outlive it, and keep the folder. */
export function killWithProcesses(postmaster: number): void {
  for (const pid of [postmaster, ...childrenOf(postmaster)]) signal(pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It may have ended just now. If signalling is not permitted the error is thrown, instead of retrying for ever.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The identity of the PostgreSQL that the lock file names, if it runs and is one of this folder. */
function runningPostmaster(cluster: string): string | undefined {
  const pid = postmasterOf(cluster)
  return pid !== undefined && isPostmasterOf(cluster, pid) ? processIdentity(pid) : undefined
}

/** PostgreSQL's working folder is that of its files; its command line names it unless it got a descriptor. */
function isPostmasterOf(cluster: string, pid: number): boolean {
  const folder = existsSync(cluster) ? realpathSync(cluster) : cluster
  return workingFolderOf(pid) === folder || ` ${commandOf(pid) ?? ''} `.includes(` ${cluster} `)
}

/** The postmaster's process id from its lock file, whether it runs or not. */
export function postmasterOf(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockFile(cluster), 'utf8').split('\n', 1)[0])
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Written aside and renamed, so that no reader meets half of it. */
function writeOwner(folder: string, owner: Owner): void {
  const file = ownerFile(folder)
  writeFileSync(`${file}.new`, JSON.stringify(owner), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readOwner(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFile(folder), 'utf8')) as Owner
  } catch {
    return undefined
  }
}

const ownerFile = (folder: string) => path.join(folder, 'owner')
const lockFile = (cluster: string) => path.join(cluster, 'postmaster.pid')

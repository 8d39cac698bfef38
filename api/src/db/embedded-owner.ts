import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  commandOf,
  isRunning,
  isZombie,
  processIdentity,
  workingFolderOf,
} from '../machine/process/process-identity.ts'

/** The process that started the PostgreSQL of a folder, as stored in `<folder>/owner`. */
interface Owner {
  launcher: string
  socketFolder: string
}

/**
 * Claims a database folder for this process: refuses while another running process uses it, and removes the socket folder
 * of a killed one.
 *
 * @throws Error with a sentence
 */
export function claim(folder: string, socketFolder: string): void {
  const owner: Owner = { launcher: processIdentity(process.pid) ?? String(process.pid), socketFolder }
  for (;;) {
    if (writeOnce(ownerFile(folder), JSON.stringify(owner))) return
    const other = readOwner(folder)
    if (other && isRunning(other.launcher)) {
      throw new Error(
        `The database in ${folder} is in use by process ${Number.parseInt(other.launcher, 10)}. ` +
          'Stop that one first, or set DATA_DIR to another folder.',
      )
    }
    if (other) rmSync(other.socketFolder, { recursive: true, force: true })
    rmSync(ownerFile(folder), { force: true })
  }
}

export function release(folder: string): void {
  rmSync(ownerFile(folder), { force: true })
}

/**
 * Ends a PostgreSQL that outlived the process that started it. PostgreSQL itself refuses to start while any process has the
 * id in its lock file, even a zombie or an unrelated process that got the id since; this checks which process it is.
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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It may have ended just now. Where signalling is not permitted the error is thrown, instead of retrying for ever.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** PostgreSQL's working folder is that of its files; its command line names it unless it got a descriptor. */
function isPostmasterOf(cluster: string, pid: number): boolean {
  return workingFolderOf(pid) === cluster || (commandOf(pid)?.includes(cluster) ?? false)
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

function writeOnce(file: string, text: string): boolean {
  try {
    const fd = openSync(file, 'wx', 0o600)
    writeSync(fd, text)
    closeSync(fd)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
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

import { spawnSync } from 'node:child_process'
import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * An exclusive flock(2) on a file. The kernel holds it for as long as any process has the descriptor open, here or where
 * it was inherited, in whichever container that runs, and drops it with the last one, however that ended.
 */
export interface KernelLock {
  /** Passed on to children, which then hold the lock too. */
  readonly descriptor: number
  release(): void
}

/**
 * Takes the lock of `file`, which is created if it is missing and never removed: a second file of the same name would
 * be a second lock.
 *
 * @param owner of a file that is created by root for another user
 * @returns undefined if another process holds it
 * @throws Error with a sentence if this machine or file system has no such locks
 */
export function tryKernelLock(file: string, owner?: { uid: number; gid: number }): KernelLock | undefined {
  // Not `w`, which would empty the file, nor `r`: an NFS client locks only files that are open for writing.
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    if (owner && fstatSync(descriptor).uid !== owner.uid) fchownSync(descriptor, owner.uid, owner.gid)
    if (lock(descriptor, file) && isStill(descriptor, file)) {
      return { descriptor, release: once(() => closeSync(descriptor)) }
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  closeSync(descriptor)
  return undefined
}

/** A second close would hit whatever got the number of the descriptor since, such as a connection. */
function once(close: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) close()
    isDone = true
  }
}

/** Node has no flock(2). These programs lock the descriptor that they inherit, and the lock outlives them. */
const programs: readonly (readonly [program: string, ...args: string[]])[] = [
  ['flock', '-n', '-x', '3'],
  // If util-linux is missing, as on macOS: 2 is LOCK_EX, 4 is LOCK_NB.
  ['perl', '-e', 'open(my $f, "+<&=3") or exit 2; exit(flock($f, 2 | 4) ? 0 : $!{EWOULDBLOCK} ? 1 : 2)'],
]

function lock(descriptor: number, file: string): boolean {
  for (const [program, ...args] of programs) {
    const { error, status, stderr } = spawnSync(program, args, {
      cwd: '/',
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    })
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') continue
    if (status === 0) return true
    if (status === 1 && stderr === '') return false
    throw new Error(
      `${file} cannot be locked (${(error?.message ?? stderr.trim()) || `${program} ended with ${status}`}). ` +
        'Its file system must support locks (flock): set DATA_DIR to a folder on a local disk.',
    )
  }
  throw new Error(
    'This machine has no program that locks a file: install util-linux (flock) or perl, ' +
      'or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

/** The file may have been removed between opening and locking it; then this lock protects nothing. */
function isStill(descriptor: number, file: string): boolean {
  try {
    const [open, named] = [fstatSync(descriptor), statSync(file)]
    return open.ino === named.ino && open.dev === named.dev
  } catch {
    return false
  }
}

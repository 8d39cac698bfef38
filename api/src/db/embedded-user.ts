import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The user PostgreSQL runs as, as options for spawn; empty for the current user. */
export type RunAs = { uid: number; gid: number } | Record<string, never>

/**
 * PostgreSQL refuses to run as root, so root drops to the owner of an existing data folder, else to `postgres`,
 * else to `nobody`. Other users run it as themselves.
 *
 * @param owner of the data folder, where there is one
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

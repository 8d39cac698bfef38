import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Identifies a process by `<pid>-<start>`, since process ids are reused. Undefined if there is no such process; a zombie
 * counts as none.
 */
export function processIdentity(pid: number): string | undefined {
  const start = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid)
  return start === undefined ? undefined : `${pid}-${start}`
}

/**
 * The scope of this process's ids: this boot of this machine, this pid namespace. Another container has another one,
 * and so has the same machine after a restart.
 */
export function processSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

/** Whether the process of an identity still runs. */
export function isRunning(identity: string): boolean {
  const pid = Number.parseInt(identity, 10)
  return Number.isInteger(pid) && pid > 0 && processIdentity(pid) === identity
}

/** Whether a process has ended but was not yet waited for by its parent. It holds no files, only its process id. */
export function isZombie(pid: number): boolean {
  if (process.platform === 'linux') return /^[ZX]$/.test(statOnLinux(pid)?.[0] ?? '')
  return psColumn(pid, 'stat')?.startsWith('Z') ?? false
}

/** The command line of a process, arguments separated by spaces; undefined if there is none. */
export function commandOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return psColumn(pid, 'command')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return undefined
  }
}

/** The working folder of a process; undefined if it is not readable. */
export function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** proc(5): fields after the name in brackets; the first is the state, the 20th the start in clock ticks since boot. */
function statOnLinux(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function startOnLinux(pid: number): string | undefined {
  const fields = statOnLinux(pid)
  return fields && !/^[ZX]$/.test(fields[0] ?? '') ? fields[19] : undefined
}

function startByPs(pid: number): string | undefined {
  if (isZombie(pid)) return undefined
  return psColumn(pid, 'lstart')?.replaceAll(/[^0-9A-Za-z]+/g, '')
}

function psColumn(pid: number, column: 'stat' | 'lstart' | 'command'): string | undefined {
  try {
    const text = execFileSync('/bin/ps', ['-o', `${column}=`, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { LC_ALL: 'C' },
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}

/** The running children of a process; empty if the system has no /proc. */
export function childrenOf(parent: number): number[] {
  return processIds().filter((pid) => parentOf(pid) === parent)
}

/** The fourth field of /proc/PID/stat, after the name in brackets; see proc(5). Undefined if it has ended. */
export function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

import { readdir, readFile, stat } from 'node:fs/promises'

/** A process of the system. */
export interface SystemProcess {
  readonly pid: number
  readonly parent: number
  /** Per cent of one processor, over its lifetime. */
  readonly cpu: number
  /** Bytes in memory. */
  readonly memory: number
  readonly startedAt: Date
  readonly command: string
  /** Carries the mark of this application (see `markChildren`). */
  readonly marked: boolean
}

const markName = 'FELLOWSHIP_PROCESS_OF'

/** Marks all processes started from now on, and their descendants, by an environment variable. @param mark names the instance */
export function markChildren(mark: string): void {
  process.env[markName] = mark
}

/** The environment of a helper program: the path of programs, and the mark. None of the server's secrets. */
export function environmentOfHelpers(): Record<string, string> {
  const passed = ['PATH', markName].map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(passed.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/**
 * The processes of the account this one runs under. Only Linux has /proc; elsewhere only this process is
 * listed.
 */
export async function ownAccountProcesses(mark: string): Promise<SystemProcess[]> {
  if (process.platform !== 'linux') return [thisProcess()]
  const boot = await bootTime()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => readProcess(Number(pid), boot, mark)))
  return found.filter((row) => row !== undefined)
}

/** Undefined for a process of another account, a zombie, or one that has just ended. */
async function readProcess(pid: number, boot: number, mark: string): Promise<SystemProcess | undefined> {
  try {
    const { uid } = await stat(`/proc/${pid}`)
    if (uid !== process.getuid?.()) return undefined
    const fields = statFields(await readFile(`/proc/${pid}/stat`, 'latin1'))
    if (/^[ZX]$/.test(fields[0]!)) return undefined
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
    // The kernel's own threads: children of number 2, without a command line.
    if (command === '' && (pid === 2 || fields[1] === '2')) return undefined
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    const started = boot + Number(fields[19]) / ticksPerSecond
    const seconds = Math.max(1, Date.now() / 1000 - started)
    return {
      pid,
      parent: Number(fields[1]),
      cpu: ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond / seconds) * 100,
      memory: Number(fields[21]) * pageBytes,
      startedAt: new Date(started * 1000),
      command,
      marked: environment.split('\0').includes(`${markName}=${mark}`),
    }
  } catch {
    return undefined
  }
}

/** proc(5): the fields after the name in brackets, from the state on. */
const statFields = (text: string) => text.slice(text.lastIndexOf(')') + 2).split(' ')

/** Seconds since 1970. */
async function bootTime(): Promise<number> {
  const found = /^btime (\d+)$/m.exec(await readFile('/proc/stat', 'latin1'))
  return Number(found?.[1] ?? 0)
}

/** USER_HZ and the page size are these on every Linux that Node runs on, but for arm64 kernels with larger pages. */
const ticksPerSecond = 100
const pageBytes = 4096

function thisProcess(): SystemProcess {
  const { user, system } = process.cpuUsage()
  return {
    pid: process.pid,
    parent: process.ppid,
    cpu: ((user + system) / 1e6 / Math.max(1, process.uptime())) * 100,
    memory: process.memoryUsage.rss(),
    startedAt: new Date(Date.now() - process.uptime() * 1000),
    command: process.argv.join(' '),
    marked: true,
  }
}

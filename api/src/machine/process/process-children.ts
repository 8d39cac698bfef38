import { readdirSync, readFileSync } from 'node:fs'

/** What a process has started itself and still runs; nothing where the system has no /proc. */
export function childrenOf(parent: number): number[] {
  return processIds().filter((pid) => parentOf(pid) === parent)
}

/** The fourth field of /proc/PID/stat, after the name in brackets; see proc(5). Undefined where it has ended. */
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

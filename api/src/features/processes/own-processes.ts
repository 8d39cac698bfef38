import type { SystemProcess } from '../../machine/process/processes.ts'

/** The processes of this application: this one, those with its mark, and their descendants. */
export function ownProcesses(all: readonly SystemProcess[], self: number): Set<number> {
  const own = new Set(all.filter(({ pid, marked }) => marked || pid === self).map(({ pid }) => pid))
  let grown = true
  while (grown) {
    const children = all.filter(({ pid, parent }) => own.has(parent) && !own.has(pid))
    for (const { pid } of children) own.add(pid)
    grown = children.length > 0
  }
  return own
}

/**
 * Orphans of this application: processes with its mark whose parent has ended. Oldest first. Never this process or its
 * descendants, and never PostgreSQL, which the next start replaces in an orderly way.
 */
export function strays(all: readonly SystemProcess[], self: number): SystemProcess[] {
  const byPid = new Map(all.map((row) => [row.pid, row]))
  const isUnder = (row: SystemProcess, ancestor: number): boolean => {
    const seen = new Set<number>()
    for (let at: SystemProcess | undefined = row; at && !seen.has(at.pid); at = byPid.get(at.parent)) {
      if (at.pid === ancestor) return true
      seen.add(at.pid)
    }
    return false
  }
  const parentGone = ({ parent }: SystemProcess) => parent <= 1 || !byPid.get(parent)?.marked
  return all
    .filter((row) => row.marked && !isUnder(row, self) && parentGone(row) && !isDatabase(row))
    .toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
}

const isDatabase = ({ command }: SystemProcess) => /\bpostgres\b/.test(command)

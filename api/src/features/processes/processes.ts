import { createHash } from 'node:crypto'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { type processes, processLimits } from '@fellowship/schema/processes/processes.contract'
import type { Context } from '../../context.ts'
import { writeAudit } from '../../db/audit-log.ts'
import { logLoss } from '../../db/log-loss.ts'
import { isRunning, processIdentity } from '../../machine/process/process-identity.ts'
import { markChildren, ownAccountProcesses, type SystemProcess } from '../../machine/process/processes.ts'

/** The processes of this account: those of the application first, then by memory. */
export async function listProcesses({ config }: Context): Promise<AnswerOf<typeof processes.list>> {
  const all = await ownAccountProcesses(markOf(config.dataDir))
  const own = ownProcesses(all, process.pid)
  return {
    totalProcesses: all.length,
    processLimit: processLimits.limit,
    bcfProcesses: own.size,
    processes: all
      .toSorted((a, b) => Number(own.has(b.pid)) - Number(own.has(a.pid)) || b.memory - a.memory)
      .map(({ pid, cpu, memory, startedAt, command }) => ({
        pid,
        cpu: Math.round(cpu * 10) / 10,
        memory,
        startTime: startedAt.toISOString(),
        command: shown(command),
        own: own.has(pid),
      })),
  }
}

/** In production, ends strays every five minutes. Returns the function that stops it. */
export function watchProcesses(context: Context): () => void {
  markChildren(markOf(context.config.dataDir))
  if (context.config.environment !== 'production') return () => undefined
  const look = () =>
    void endStrays(context).catch((error: unknown) =>
      logLoss(context, error, 'the process table could not be looked after', 'error'),
    )
  const timer = setInterval(look, processLimits.watchEveryMs)
  return () => clearInterval(timer)
}

/**
 * If 75 processes or more run, ends the oldest strays until there are fewer. Processes that this application did not
 * start are never touched.
 *
 * @returns the pids that were ended
 */
export async function endStrays(
  context: Context,
  { from = processLimits.endStraysFrom as number } = {},
): Promise<number[]> {
  const all = await ownAccountProcesses(markOf(context.config.dataDir))
  const tooMany = all.length - from + 1
  if (tooMany <= 0) return []
  const ended: number[] = []
  for (const stray of strays(all, process.pid).slice(0, tooMany)) {
    if (!(await end(stray))) continue
    ended.push(stray.pid)
    const { pid, command } = stray
    const entry = {
      actor: null,
      action: 'process.ended',
      subject: shown(command),
      details: { pid, of: all.length },
    }
    await writeAudit(context.sql, entry, context.clock.now())
  }
  return ended
}

/** SIGTERM first, then SIGKILL. Process ids are reused, so the start time is compared too. */
async function end({ pid, startedAt }: SystemProcess): Promise<boolean> {
  const identity = processIdentity(pid)
  if (!identity || startedAt.getTime() > Date.now()) return false
  try {
    process.kill(pid, 'SIGTERM')
    for (let waited = 0; waited < 50 && isRunning(identity); waited += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    if (isRunning(identity)) process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

/** Identifies this instance, so that two on one machine do not end each other's processes. */
export const markOf = (dataDir: string): string =>
  createHash('sha256').update(dataDir).digest('hex').slice(0, 16)

/** Removes passwords in addresses from a command line. */
const shown = (command: string) => command.replaceAll(/:\/\/[^\s/@]*@/g, '://…@').slice(0, 200)

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

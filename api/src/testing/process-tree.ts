import { childrenOf, commandOf, processIdentity } from '../machine/process/process-identity.ts'

/** A process as it was when it was listed. Process ids are reused, identities are not. */
export interface ListedProcess {
  readonly pid: number
  readonly identity: string
  readonly command: string
}

/** A process and everything that it has started, directly or not, the first one first. Linux only. */
export function processTree(root: number): ListedProcess[] {
  const found = [root]
  // Iteration includes entries added meanwhile, so descendants are found.
  for (const known of found) found.push(...childrenOf(known))
  return found.flatMap((pid) => {
    const [identity, command] = [processIdentity(pid), commandOf(pid)]
    return identity !== undefined && command !== undefined && command !== ''
      ? [{ pid, identity, command }]
      : []
  })
}

/** Sends a signal to each that still runs. */
export function signalAll(processes: readonly ListedProcess[], signal: NodeJS.Signals): void {
  for (const { pid, identity } of processes) {
    if (processIdentity(pid) !== identity) continue
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It has ended since.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Those that still run. */
export const stillRunning = (processes: readonly ListedProcess[]): ListedProcess[] =>
  processes.filter(({ pid, identity }) => processIdentity(pid) === identity)

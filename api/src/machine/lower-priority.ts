import { setPriority } from 'node:os'

/**
 * Gives other work of this machine priority. If the system forbids even that, as a service manager may by its filter of system
 * calls, the work is done at the usual priority.
 *
 * @param niceness 0, which changes nothing, to 19, the lowest
 */
export function lowerPriority(niceness: number): void {
  try {
    setPriority(niceness)
  } catch {
    // It matters less than the work.
  }
}

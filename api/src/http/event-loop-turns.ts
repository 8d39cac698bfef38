import { setImmediate } from 'node:timers/promises'

/**
 * Gives each caller a turn of the event loop of its own, in the order of the calls. Work that takes a millisecond, asked for
 * by many at once, would otherwise run in a row, and everybody else would wait for all of it.
 */
export function eventLoopTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => (last = last.then(() => setImmediate()))
}

import type { Lifecycle } from '../machine/lifecycle.ts'
import type { Log } from '../machine/log.ts'
import { isLostConnectionThrow, isUnreachable } from './connection.ts'

/**
 * Notes that something could not be done. If the database was lost while this process stops, that is no fault: a service
 * manager ends both at once.
 */
export function logLoss(
  { log, lifecycle }: { log: Pick<Log, 'info' | Level>; lifecycle: Pick<Lifecycle, 'draining'> },
  error: unknown,
  sentence: string,
  level: Level = 'warn',
): void {
  const { code } = (error ?? {}) as { code?: unknown }
  if (lifecycle.draining && (isUnreachable(error) || isLostConnectionThrow(error)))
    log.info({ code }, `${sentence}, as the database ended too`)
  else log[level]({ err: error }, sentence)
}

type Level = 'warn' | 'error'

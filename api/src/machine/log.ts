import { pino, type Logger } from 'pino'
import type { LogLevel } from '../config/config.ts'

/** Logs one JSON line per event to standard output. Never log a secret. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'>

export function createLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: redacted })
}

/** A safety net: the values of these members are removed from every logged object. */
const redacted = [
  'password',
  '*.password',
  'cookie',
  '*.cookie',
  'csrf',
  '*.csrf',
  'authorization',
  '*.authorization',
]

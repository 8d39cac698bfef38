import { pino, type Logger } from 'pino'
import type { LogLevel } from '../config/config.ts'

/** One JSON line per event on standard output. What is logged names things, it never holds secrets. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'>

export function createLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: redacted })
}

/** A second net: should an object with one of these members ever be logged, the value is left out. */
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

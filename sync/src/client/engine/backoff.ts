import { CallError, NetworkError, TooManyRequests } from '../../call/call-error.ts'

/** When an entry may be tried again; kept with it, so that a restart does not forget it. */
export interface Backoff {
  /** Failures in a row. */
  attempts: number
  /** Epoch milliseconds. */
  nextAttemptAt: number
  /** The time that the server asked for (Retry-After), which only a person's request overrides. */
  notBefore?: number
}

/** Of an entry that never failed, or that a person asks to be tried again. */
export const noBackoff: Required<Backoff> = { attempts: 0, nextAttemptAt: 0, notBefore: 0 }

/**
 * Changes entries so that they are due now: all at a person's request; when the network may be back, those without an
 * answer. For `modify` of a table.
 */
export const endBackoff =
  (why: 'asked' | 'network') =>
  (entry: Backoff & { lastError?: { code: string } }): boolean => {
    const isDue = entry.nextAttemptAt === 0 && !entry.notBefore
    if (isDue || (why === 'network' && entry.lastError?.code !== 'network')) return false
    entry.nextAttemptAt = 0
    if (why === 'asked') entry.notBefore = 0
    return true
  }

/** Full jitter: any wait up to two seconds, doubled with each failure in a row, five minutes at most. */
export const backoffMs = (attempts: number, random: number): number =>
  random * Math.min(2_000 * 2 ** attempts, longestBackoffMs)

/** The backoff after one more failure. */
export function afterFailure(
  { attempts }: Pick<Backoff, 'attempts'>,
  error: unknown,
  now: number,
  random: number,
): Backoff {
  if (error instanceof TooManyRequests) return { attempts, nextAttemptAt: error.at }
  const answer = error instanceof NetworkError ? error.cause : error
  const asked = answer instanceof CallError ? Math.min(answer.retryAfterMs, longestWaitMs) : 0
  return {
    attempts: attempts + 1,
    nextAttemptAt: now + backoffMs(attempts, random),
    ...(asked > 0 && { notBefore: now + asked }),
  }
}

/** When an entry is due, epoch milliseconds; 0 if its time is too far away, as after the clock was set back. */
export function dueAt({ nextAttemptAt, notBefore = 0 }: Omit<Backoff, 'attempts'>, now: number): number {
  const possible = (at: number, longest: number) => (at > now + longest ? 0 : at)
  return Math.max(possible(nextAttemptAt, longestBackoffMs), possible(notBefore, longestWaitMs))
}

const longestBackoffMs = 5 * 60_000
/** A server, or a proxy in its place, cannot ask for a longer wait. */
const longestWaitMs = 60 * 60_000

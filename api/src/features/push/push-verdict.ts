import { PrivateAddress, type PushAnswer } from '../../machine/web-push.ts'

/**
 * sent: the push service took it · gone: the device unsubscribed · refused: it will never take this one ·
 * retry: later, and where `pausesHost` every message for the same push service
 */
export type PushVerdict =
  | { readonly outcome: 'sent' | 'gone' | 'refused' }
  | { readonly outcome: 'retry'; readonly waitMs: number; readonly pausesHost: boolean }

/** A message is tried this often; the last time about a day after the first. */
export const mostTries = 10

const minuteMs = 60_000
const firstWaitMs = minuteMs
const longestWaitMs = 6 * 60 * minuteMs
/** A push service cannot ask for a longer wait. */
const longestAskedMs = 24 * 60 * minuteMs

/**
 * What follows from an answer, or from the error of a connection.
 *
 * @param tries how often the message was sent, this time included
 * @param random spreads the tries of many messages, from 0 to 1
 */
export function pushVerdict(answer: PushAnswer | Error, tries: number, random: number): PushVerdict {
  if (answer instanceof PrivateAddress) return { outcome: 'gone' }
  const status = answer instanceof Error ? undefined : answer.status
  if (status !== undefined && status >= 200 && status < 300) return { outcome: 'sent' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  const isLater = status === undefined || status >= 500 || laterStatus.has(status)
  if (!isLater || tries >= mostTries) return { outcome: 'refused' }
  const backoff = Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs) * (0.5 + random / 2)
  const asked = answer instanceof Error ? undefined : answer.retryAfterMs
  const pausesHost = asked !== undefined
  return { outcome: 'retry', waitMs: Math.max(backoff, Math.min(asked ?? 0, longestAskedMs)), pausesHost }
}

const laterStatus = new Set([408, 425, 429])

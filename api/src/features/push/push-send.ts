import { pushFailures } from '@fellowship/schema/push/push.limits'
import type { Context } from '../../context.ts'
import { PrivateAddress } from '../../machine/public-lookup.ts'
import type { PushAnswer, PushKeys, PushSender } from '../../machine/web-push.ts'
import {
  type Delivery,
  endDelivery,
  endExpired,
  failDelivery,
  forgetSubscription,
  giveBackDelivery,
  leaseDeliveries,
  retryDelivery,
} from './push.sql.ts'

/** Messages sent at the same time. */
const width = 20
/** If a process is killed while it sends a message, the message waits this long. */
const leaseMs = 5 * 60_000

interface SendDeps {
  readonly sender: PushSender
  readonly keys: PushKeys
  /** From 0 to 1. */
  readonly random: () => number
  /** The end of each push service's Retry-After, by origin. It is not stored: a later process tries again. */
  readonly pauses: Map<string, Date>
  /** Aborts messages in progress. */
  readonly signal: AbortSignal
}

const counts = { sent: 0, failed: 0 }

/** Messages of this process since its start. */
export const pushCounts = (): Readonly<typeof counts> => counts

/** Sends due messages; returns when none is due, or at the signal. */
export async function sendDue(context: Context, deps: SendDeps): Promise<void> {
  const { sql, clock } = context
  counts.failed += await endExpired(sql, clock.now(), pushFailures)
  while (!deps.signal.aborted) {
    const now = clock.now()
    const until = new Date(now.getTime() + leaseMs)
    const batch = await leaseDeliveries(sql, { now, until, most: width })
    if (batch.length === 0) return
    await Promise.all(batch.map((delivery) => sendOne(context, delivery, deps)))
  }
}

async function sendOne(context: Context, delivery: Delivery, deps: SendDeps): Promise<void> {
  const { sql, clock, log } = context
  const { origin } = new URL(delivery.endpoint)
  const paused = deps.pauses.get(origin)
  if (paused && paused > clock.now()) return giveBackDelivery(sql, delivery, paused)
  const answer = await post(context, delivery, deps).catch((error: unknown) => error as Error)
  const now = clock.now()
  if (deps.signal.aborted && answer instanceof Error) return giveBackDelivery(sql, delivery, now)
  const verdict = pushVerdict(answer, delivery.tries, deps.random())
  if (verdict.outcome === 'sent') {
    counts.sent += 1
    return endDelivery(sql, delivery, now)
  }
  if (verdict.outcome === 'retry') {
    const at = new Date(now.getTime() + verdict.waitMs)
    if (verdict.pausesHost) deps.pauses.set(origin, at)
    return retryDelivery(sql, delivery, at)
  }
  counts.failed += 1
  if (verdict.outcome === 'gone') return forgetSubscription(sql, delivery)
  const why = answer instanceof Error ? answer.message : `status ${answer.status}`
  // Without the path, which is the device's.
  log.warn({ pushService: origin, why }, 'a notification was refused')
  return failDelivery(sql, delivery, pushFailures)
}

function post({ config, clock }: Context, delivery: Delivery, deps: SendDeps): Promise<PushAnswer> {
  const { endpoint, p256dh, auth, message, expiresAt } = delivery
  const { sender, keys, signal } = deps
  const ttl = Math.max(60, Math.round((expiresAt.getTime() - clock.now().getTime()) / 1000))
  const subscription = { endpoint, keys: { p256dh, auth } }
  const payload = JSON.stringify(message)
  // Encrypting may throw.
  return Promise.resolve().then(() =>
    sender.send({ subscription, payload, keys, contact: contactOf(config), ttl, topic: 'teachings' }, signal),
  )
}

/** The contact for questions of a push service. */
function contactOf({ contactEmail, mail, publicUrl }: Context['config']): string {
  const sender = /<([^<>]*)>$/.exec(mail.from ?? '')?.[1] ?? mail.from
  const email = contactEmail ?? sender
  if (email !== undefined) return `mailto:${email}`
  return publicUrl?.startsWith('https:') ? publicUrl : 'mailto:nobody@example.org'
}

/**
 * sent: the push service accepted it · gone: the device unsubscribed · refused: it will never accept this one ·
 * retry: later, with every message for the same push service if `pausesHost`
 */
type PushVerdict =
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
 * The verdict on an answer, or on the error of a connection.
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

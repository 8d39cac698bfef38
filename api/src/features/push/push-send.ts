import { pushFailures } from '@fellowship/schema/push/push.limits'
import type { Context } from '../../context.ts'
import type { PushAnswer, PushKeys, PushSender } from '../../machine/web-push.ts'
import {
  endDelivery,
  endExpired,
  failDelivery,
  forgetSubscription,
  giveBackDelivery,
  leaseDeliveries,
  retryDelivery,
  type Delivery,
} from './push.sql.ts'
import { pushVerdict } from './push-verdict.ts'

/** Messages that go out at once. */
const width = 20
/** A process that was killed while it sent a message leaves it for this long. */
const leaseMs = 5 * 60_000

export interface SendDeps {
  readonly sender: PushSender
  readonly keys: PushKeys
  /** From 0 to 1. */
  readonly random: () => number
  /** Until when push services want nothing to be sent to them, by origin. A later process asks them anew. */
  readonly pauses: Map<string, Date>
  /** Breaks off what is being sent. */
  readonly signal: AbortSignal
}

const counts = { sent: 0, failed: 0 }

/** Messages of this process since its start. */
export const pushCounts = (): Readonly<typeof counts> => counts

/** Sends what is due; ends when nothing is, or at the signal. */
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

/** Whom a push service may ask about this server. */
function contactOf({ contactEmail, mail, publicUrl }: Context['config']): string {
  const sender = /<([^<>]*)>$/.exec(mail.from ?? '')?.[1] ?? mail.from
  const email = contactEmail ?? sender
  if (email !== undefined) return `mailto:${email}`
  return publicUrl?.startsWith('https:') ? publicUrl : 'mailto:nobody@example.org'
}

import { slotBefore } from '@fellowship/schema/backup/backup.limits'
import { Problem } from '@fellowship/schema/problem'
import { pushMessage } from '@fellowship/schema/push/push-message'
import { pushKeptDays, pushLimits, pushTimes, pushWeekTime } from '@fellowship/schema/push/push.limits'
import type { PushEvery, PushSubscriptionKeys } from '@fellowship/schema/push/push.contract'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/connection.ts'
import { logLoss } from '../../db/log-loss.ts'
import {
  isDeviceKey,
  makePushKeys,
  type PushKeys,
  pushSender,
  type PushSender,
} from '../../machine/web-push.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { sendDue } from './push-send.ts'
import {
  addDeliveries,
  claimWeek,
  findKeys,
  isKnownEndpoint,
  forgetNews,
  type KeysRow,
  markTold,
  newsOfWeek,
  pushRow,
  putSubscription,
  removeSubscription,
  replaceKeys,
  pendingNotifications,
} from './push.sql.ts'

export { pushCounts } from './push-send.ts'

/** Subscribes a device; replaces its previous endpoint. */
export async function subscribe(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  {
    subscription,
    every,
    replaces,
  }: { subscription: PushSubscriptionKeys; every: PushEvery; replaces?: string | undefined },
): Promise<void> {
  if (!isDeviceKey(subscription.keys.p256dh)) throw new Problem('invalid_input', pushTexts.keysDamaged)
  const isTaken = await sql.begin(async (tx) => {
    if (replaces !== undefined && replaces !== subscription.endpoint) await removeSubscription(tx, replaces)
    return putSubscription(tx, subscription, every, { now: clock.now(), most: pushLimits.devices })
  })
  if (!isTaken) throw new Problem('unavailable', pushTexts.full)
}

/** The number of subscribed devices and of their pending messages. */
export const pushState = ({ sql }: Pick<Context, 'sql'>): Promise<{ devices: number; waiting: number }> =>
  pushRow(sql)

/** Whether a device with this endpoint is subscribed. */
export const isSubscribed = ({ sql }: Pick<Context, 'sql'>, endpoint: string): Promise<boolean> =>
  isKnownEndpoint(sql, endpoint)

/** Deletes a subscription; does nothing if it is unknown. */
export const unsubscribe = ({ sql }: Pick<Context, 'sql'>, endpoint: string): Promise<void> =>
  removeSubscription(sql, endpoint)

/** Interval between looks for new teachings. */
const everyMs = 30_000

/** Starts notifying devices of new teachings. Returns the function that stops it. */
export function startPush(context: Context): () => void {
  const worker = pushWorker(context)
  const run = () =>
    worker
      .run()
      .catch((error: unknown) => logLoss(context, error, 'notifications could not be sent', 'error'))
  const timer = setInterval(() => void run(), everyMs)
  return () => {
    clearInterval(timer)
    worker.stop()
  }
}

interface PushWorker {
  /** Writes and sends due messages. Does nothing if this or another process is already sending. */
  run(): Promise<void>
  /** Aborts messages in progress; they are sent after the next start. */
  stop(): void
}

export function pushWorker(
  context: Context,
  { sender = pushSender(), random = Math.random }: { sender?: PushSender; random?: () => number } = {},
): PushWorker {
  const stopping = new AbortController()
  const pauses = new Map<string, Date>()
  const { lifecycle, node } = context
  return {
    async run() {
      if (stopping.signal.aborted || lifecycle.draining) return
      await node.runAlone('push messages', async () => {
        const keys = await pushKeys(context)
        await writeMessages(context)
        await sendDue(context, { sender, keys, random, pauses, signal: stopping.signal })
      })
    },
    stop() {
      stopping.abort()
      sender.close()
    },
  }
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** A teaching whose recording comes later than this is no news. */
const newsDays = 30

/**
 * Writes messages about new teachings, once it is quiet, and the message of the week when it is due.
 *
 * @returns the number of devices that get one
 */
async function writeMessages({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const now = clock.now()
  return sql.begin(async (tx) => (await tellEach(tx, now)) + (await tellWeek(tx, now)))
}

async function tellEach(tx: Transaction, now: Date): Promise<number> {
  const news = await pendingNotifications(tx)
  const [oldest, newest] = [news[0], news.at(-1)]
  if (!oldest || !newest) return 0
  const minutesSince = (then: Date) => (now.getTime() - then.getTime()) / minuteMs
  const isQuiet = minutesSince(newest.addedAt) >= pushTimes.quietMinutes
  if (!isQuiet && minutesSince(oldest.addedAt) < pushTimes.mostMinutes) return 0
  const uids = news.map(({ teaching }) => teaching)
  await markTold(tx, uids)
  return tell(tx, 'teaching', uids, now)
}

async function tellWeek(tx: Transaction, now: Date): Promise<number> {
  if (!(await claimWeek(tx, slotBefore(now, pushWeekTime()), now))) return 0
  const uids = await newsOfWeek(tx)
  const count = await tell(tx, 'week', uids, now)
  await forgetNews(tx, new Date(now.getTime() - newsDays * dayMs))
  return count
}

async function tell(tx: Transaction, every: PushEvery, uids: readonly string[], now: Date): Promise<number> {
  const teachings = await liveTeachings(tx, uids)
  if (teachings.length === 0) return 0
  const expiresAt = new Date(now.getTime() + pushKeptDays[every] * dayMs)
  return addDeliveries(tx, every, pushMessage(teachings), { now, expiresAt })
}

const keysPurpose = 'push private key'

/**
 * The key pair of this server, made at first use. If it was sealed under a lost APP_SECRET, it is replaced: devices
 * subscribe again when they next open the site.
 */
export async function pushKeys({
  sql,
  secrets,
  clock,
}: Pick<Context, 'sql' | 'secrets' | 'clock'>): Promise<PushKeys> {
  const opened = (row: KeysRow | undefined): PushKeys | undefined => {
    const privateKey = row && secrets.open(keysPurpose, row.privateKeySealed)
    return row && privateKey !== undefined ? { publicKey: row.publicKey, privateKey } : undefined
  }
  const row = await findKeys(sql)
  const kept = opened(row)
  if (kept) return kept
  const made = makePushKeys()
  const sealed = secrets.seal(keysPurpose, made.privateKey)
  await replaceKeys(sql, row, { publicKey: made.publicKey, privateKeySealed: sealed }, clock.now())
  return opened(await findKeys(sql)) ?? made
}

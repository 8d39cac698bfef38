import { Problem } from '@fellowship/schema/problem'
import { pushLimits } from '@fellowship/schema/push/push.limits'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import type { PushEvery, PushSubscriptionKeys } from '@fellowship/schema/push/push.schema'
import type { Context } from '../../context.ts'
import { isDeviceKey } from '../../machine/web-push.ts'
import { pushRow, putSubscription, removeSubscription } from './push.sql.ts'

export { pushKeys } from './push-keys.ts'
export { startPush } from './push-worker.ts'
export { pushCounts } from './push-send.ts'

/** Tells a device from now on, in place of the endpoint that it had before. */
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

/** How many devices are told, and how many messages wait for them. */
export const pushState = ({ sql }: Pick<Context, 'sql'>): Promise<{ devices: number; waiting: number }> =>
  pushRow(sql)

/** Forgets a device; does nothing where it is not known. */
export const unsubscribe = ({ sql }: Pick<Context, 'sql'>, endpoint: string): Promise<void> =>
  removeSubscription(sql, endpoint)

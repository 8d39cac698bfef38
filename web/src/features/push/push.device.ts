import { push, pushSubscription, type PushEvery } from '@fellowship/schema/push/push.contract'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { call } from '@fellowship/sync/call/call'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readPushWish, writePushWish, optionsFor } from '@fellowship/sync/client/push/push-worker'

/** The chosen frequency of notifications on this device; undefined when they are off. For live queries. */
export async function readChoice(): Promise<PushEvery | undefined> {
  return (await readPushWish(appDatabase()))?.every
}

/**
 * Asks for the permission if needed, and subscribes this device to new teachings.
 *
 * @returns the reason of a failure as a sentence; undefined on success
 */
export async function turnOn(every: PushEvery): Promise<string | undefined> {
  const permission = await Notification.requestPermission()
  if (permission === 'denied') return pushTexts.blocked
  if (permission !== 'granted') return pushTexts.notAllowed
  return subscribe(every)
}

/** Works offline too: the server finds out at the next message that it sends. */
export async function turnOff(): Promise<void> {
  const wish = await readPushWish(appDatabase())
  await writePushWish(appDatabase(), undefined)
  const subscription = await (await registered())?.pushManager.getSubscription()
  await subscription?.unsubscribe()
  const endpoint = wish?.endpoint ?? subscription?.endpoint
  if (endpoint !== undefined) await call(push.unsubscribe, { body: { endpoint } }).catch(() => undefined)
}

/** Renews the subscription once a day: the browser may have changed it, or the server may have a new key. */
export async function renewSubscription(): Promise<void> {
  const wish = await readPushWish(appDatabase())
  if (!wish || Notification.permission !== 'granted') return
  const age = Date.now() - wish.checkedAt
  if (age < 0 || age >= checkMs) await subscribe(wish.every)
}

/** If a browser cannot reach its push service, it may never answer. */
const patienceMs = 20_000
const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms))

const checkMs = 24 * 60 * 60_000

async function subscribe(every: PushEvery): Promise<string | undefined> {
  const registration = await registered()
  if (!registration?.active) return pushTexts.notReady
  try {
    const { publicKey } = await call(push.key)
    const asked = subscriptionFor(publicKey, registration.pushManager).catch(() => undefined)
    const subscription = await Promise.race([asked, pause(patienceMs)])
    if (!subscription) return pushTexts.serviceUnreachable
    const before = (await readPushWish(appDatabase()))?.endpoint
    await call(push.subscribe, {
      body: {
        subscription: pushSubscription.parse(subscription.toJSON()),
        every,
        ...(before !== undefined && { replaces: before }),
      },
    })
    const { endpoint } = subscription
    await writePushWish(appDatabase(), { every, endpoint, publicKey, checkedAt: Date.now() })
    return undefined
  } catch (error) {
    return sentenceOfError(error)
  }
}

/** Replaces a subscription that was made for another key of the server. */
async function subscriptionFor(publicKey: string, manager: PushManager): Promise<PushSubscription> {
  const present = await manager.getSubscription()
  if (present && keyOf(present) === publicKey) return present
  await present?.unsubscribe()
  return manager.subscribe(optionsFor(publicKey))
}

/** In base64url. */
const keyOf = ({ options }: PushSubscription): string =>
  btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const registered = () => navigator.serviceWorker.getRegistration().catch(() => undefined)

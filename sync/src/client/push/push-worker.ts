import { unseenCount } from '@fellowship/schema/whats-new/whats-new'
import { church } from '@fellowship/schema/church'
import { subscribePath, toldFragment, unsubscribePath } from '@fellowship/schema/push/push-address'
import { readPushMessage } from '@fellowship/schema/push/push-message'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { passOnSite, readSite } from '../replica/site.store.ts'
import { readWhatsNew } from '../whats-new/whats-new.store.ts'
import type { AppDatabase } from '../database/app-database.ts'
import type { PushEvery } from '@fellowship/schema/push/push.contract'

/** The browser's part of notifications in the service worker. */
export interface PushWorkerDeps {
  /** Opens the database of the pages. */
  openDatabase: () => AppDatabase
  registration: Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications' | 'pushManager'>
  /** Shows a count on the icon of the installed site; undefined if the browser has none. */
  setAppBadge: ((count: number) => Promise<void>) | undefined
  fetch: typeof fetch
  /** Buttons that a notification can have; none on an iPhone. */
  maxActions: number
  now: () => number
}

interface Shown {
  path: string
  uids: readonly string[]
}

/**
 * Shows a message of a push service, and counts it on the icon. A notification is shown in any case: browsers withdraw the
 * permission from a site that shows nothing.
 */
export async function showMessage(text: string | undefined, deps: PushWorkerDeps): Promise<void> {
  await readIdentity(deps)
  const { title, body, tag, path, uids } = readPushMessage(text)
  const data: Shown = { path, uids }
  const options = { body, tag, data, icon: '/icons/icon-192.png', actions: [stopButton] }
  await deps.registration.showNotification(title, options)
  // A device whose database cannot be opened shows the message without a count.
  await showCount(deps).catch(() => undefined)
}

/** The button of a notification that ends them; the action of a press on it. */
export const stopButton = { action: 'stop', title: pushTexts.stop }

/** The address that a press on a notification opens: without buttons, a page that offers to stop them. */
export function pathOf(
  notification: Pick<Notification, 'data'>,
  { maxActions }: Pick<PushWorkerDeps, 'maxActions'>,
): string {
  const { path } = shownBy(notification)
  return maxActions > 0 || path.includes('#') ? path : `${path}#${toldFragment}`
}

/**
 * Ends the notifications of this device, without a page, and shows a confirmation. If there is no connection, the push
 * service still ends them, and the server gets the error when it next sends something.
 */
export async function stopMessages(deps: PushWorkerDeps): Promise<void> {
  const { registration } = deps
  const subscription = await registration.pushManager.getSubscription().catch(() => null)
  const wish = await inDatabase(deps, takeWish).catch(() => undefined)
  const endpoint = wish?.endpoint ?? subscription?.endpoint
  await subscription?.unsubscribe().catch(() => undefined)
  if (endpoint !== undefined) await post(deps, unsubscribePath, { endpoint }).catch(() => undefined)
  const waiting = await registration.getNotifications()
  for (const notification of waiting) notification.close()
  await readIdentity(deps)
  await registration.showNotification(church().name || pushTexts.stop, {
    body: pushTexts.stopped,
    tag: 'stopped',
    silent: true,
    icon: '/icons/icon-192.png',
  })
}

/** A message can also be shown if the name of the site cannot be read. */
const readIdentity = (deps: PushWorkerDeps) =>
  inDatabase(deps, async (db) => passOnSite(await readSite(db))).catch(() => undefined)

/** Runs work on the database of the pages, then closes it: an open one would hold up a newer build. */
async function inDatabase<T>(
  { openDatabase }: Pick<PushWorkerDeps, 'openDatabase'>,
  work: (db: AppDatabase) => Promise<T>,
): Promise<T> {
  const db = openDatabase()
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

async function takeWish(db: AppDatabase): Promise<PushWish | undefined> {
  const wish = await readPushWish(db)
  await writePushWish(db, undefined)
  return wish
}

const post = ({ fetch: send }: Pick<PushWorkerDeps, 'fetch'>, path: string, body: object) =>
  send(path, {
    method: 'POST',
    // Without a session there is no token to send.
    credentials: 'omit',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function showCount(deps: PushWorkerDeps): Promise<void> {
  const { registration, setAppBadge } = deps
  if (!setAppBadge) return
  const notifications = await registration.getNotifications()
  const told = notifications.flatMap((notification) => shownBy(notification).uids)
  const { whatsNew, sessions } = await inDatabase(deps, readWhatsNew)
  await setAppBadge(unseenCount(whatsNew, sessions, told))
}

const shownBy = ({ data }: Pick<Notification, 'data'>): Shown =>
  (data as Shown | undefined) ?? { path: '/teaching', uids: [] }

/**
 * Sends the new address of this device to the server when its push service has changed it. If this fails, the next
 * opening of the site repeats it.
 *
 * @param renewed the browser's own new subscription
 */
export async function subscriptionChanged(
  renewed: PushSubscription | null | undefined,
  deps: PushWorkerDeps,
): Promise<void> {
  const { registration, now } = deps
  await inDatabase(deps, async (db) => {
    const wish = await readPushWish(db)
    if (!wish) return
    const subscription = renewed ?? (await registration.pushManager.subscribe(optionsFor(wish.publicKey)))
    const { every, endpoint: replaces } = wish
    const answer = await post(deps, subscribePath, { subscription: subscription.toJSON(), every, replaces })
    if (answer.ok) await writePushWish(db, { ...wish, endpoint: subscription.endpoint, checkedAt: now() })
  })
}

/** How a browser is asked to subscribe: each message is shown, and comes from the holder of this key. */
export const optionsFor = (publicKey: string): PushSubscriptionOptionsInit => ({
  userVisibleOnly: true,
  applicationServerKey: publicKey,
})

/** The notifications of new teachings that were chosen on this device. */
export interface PushWish {
  every: PushEvery
  /** Of the subscription that the server has. */
  endpoint: string
  /** The server's, which the subscription was made for. */
  publicKey: string
  /** When the server last took it, epoch milliseconds. */
  checkedAt: number
}

const key = 'push'

/** Undefined if notifications are off. For live queries. */
export async function readPushWish(db: AppDatabase): Promise<PushWish | undefined> {
  return (await db.meta.get(key))?.value as PushWish | undefined
}

/** @param wish undefined if notifications are turned off */
export async function writePushWish(db: AppDatabase, wish: PushWish | undefined): Promise<void> {
  await (wish ? db.meta.put({ key, value: wish }) : db.meta.delete(key))
}

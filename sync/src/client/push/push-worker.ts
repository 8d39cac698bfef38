import { unseenCount } from '@fellowship/schema/arrivals/arrivals'
import { subscribePath } from '@fellowship/schema/push/push-address'
import { readPushMessage } from '@fellowship/schema/push/push-message'
import { readNews } from '../arrivals/arrivals.store.ts'
import type { AppDatabase } from '../database/app-database.ts'
import { readPushWish, writePushWish } from './push.store.ts'

/** What the service worker's part of notifications needs of the browser. */
export interface PushWorkerDeps {
  /** Opens the database of the pages. */
  openDatabase: () => AppDatabase
  registration: Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications' | 'pushManager'>
  /** Shows a count on the icon of the installed site; undefined where the browser has none. */
  setAppBadge: ((count: number) => Promise<void>) | undefined
  fetch: typeof fetch
  now: () => number
}

interface Shown {
  path: string
  uids: readonly string[]
}

/**
 * Shows what a push service brought, and counts it on the icon. Something is shown in any case: browsers withdraw the
 * permission from a site that shows nothing.
 */
export async function showMessage(text: string | undefined, deps: PushWorkerDeps): Promise<void> {
  const { title, body, tag, path, uids } = readPushMessage(text)
  const data: Shown = { path, uids }
  await deps.registration.showNotification(title, { body, tag, data, icon: '/icons/icon-192.png' })
  // A device whose database cannot be opened shows the message without a count.
  await showCount(deps).catch(() => undefined)
}

/** Where a press on a notification leads. */
export const pathOf = (notification: Pick<Notification, 'data'>): string => shownBy(notification).path

async function showCount({ registration, setAppBadge, openDatabase }: PushWorkerDeps): Promise<void> {
  if (!setAppBadge) return
  const notifications = await registration.getNotifications()
  const told = notifications.flatMap((notification) => shownBy(notification).uids)
  const db = openDatabase()
  try {
    const { arrivals, visits } = await readNews(db)
    await setAppBadge(unseenCount(arrivals, visits, told))
  } finally {
    db.close()
  }
}

const shownBy = ({ data }: Pick<Notification, 'data'>): Shown =>
  (data as Shown | undefined) ?? { path: '/teaching', uids: [] }

/**
 * Tells the server the new address of this device, after its push service has changed it. What fails here is made good
 * when the site is next opened.
 *
 * @param renewed what the browser subscribed by itself
 */
export async function subscriptionChanged(
  renewed: PushSubscription | null | undefined,
  { openDatabase, registration, fetch: send, now }: PushWorkerDeps,
): Promise<void> {
  const db = openDatabase()
  try {
    const wish = await readPushWish(db)
    if (!wish) return
    const subscription = renewed ?? (await registration.pushManager.subscribe(optionsFor(wish.publicKey)))
    const answer = await send(subscribePath, {
      method: 'POST',
      // Without a session there is no token to send.
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        subscription: subscription.toJSON(),
        every: wish.every,
        replaces: wish.endpoint,
      }),
    })
    if (answer.ok) await writePushWish(db, { ...wish, endpoint: subscription.endpoint, checkedAt: now() })
  } finally {
    db.close()
  }
}

/** How a browser is asked to subscribe: each message is shown, and comes from the holder of this key. */
export const optionsFor = (publicKey: string): PushSubscriptionOptionsInit => ({
  userVisibleOnly: true,
  applicationServerKey: publicKey,
})

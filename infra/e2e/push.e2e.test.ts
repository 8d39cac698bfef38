import { pushMessage } from '@fellowship/schema/push/push-message'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { CDPSession, Page, Worker } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { testDevice } from '../../api/src/testing/push-device.ts'
import { openBrowser } from './support/browser.ts'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo } from './support/screens.ts'

const metricsToken = 'a-token-that-nobody-guesses'
const site = journey({ METRICS_TOKEN: metricsToken })

beforeAll(() => site.add(mp3('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22' }))

/** Hands messages to the service worker as a push service does. */
async function pushService(page: Page): Promise<(data: string) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page)
  const registrationId = await registrationOf(devtools)
  const { origin } = new URL(site.url)
  return (data) => devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
}

function registrationOf(devtools: CDPSession): Promise<string> {
  return new Promise((resolve, reject) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${site.url}/`)
      if (own) resolve(own.registrationId)
    })
    devtools.send('ServiceWorker.enable').catch(reject)
  })
}

const notifications = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    return (await registration.getNotifications()).map(({ title, body }) => `${title}: ${body}`)
  })

/** Presses the notification, or a button of it: the event that the system sends to the service worker. */
async function press(page: Page, button = ''): Promise<void> {
  const worker = page.context().serviceWorkers()[0]!
  await worker.evaluate(async (action) => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration
      NotificationEvent: new (type: string, init: { notification: Notification; action: string }) => Event
    }
    const [notification] = await scope.registration.getNotifications()
    dispatchEvent(new scope.NotificationEvent('notificationclick', { notification: notification!, action }))
  }, button)
}

/** In place of the browser's push service, which tests have none of: a subscription as it gives it. */
async function replacePushService(page: Page): Promise<void> {
  const { subscription } = testDevice()
  await page.addInitScript((given) => {
    let present: object | null = null
    PushManager.prototype.getSubscription = () => Promise.resolve(present as PushSubscription | null)
    PushManager.prototype.subscribe = ({ applicationServerKey } = {}) => {
      const unsubscribe = () => Promise.resolve(((present = null), true))
      const options = { applicationServerKey }
      present = { endpoint: given.endpoint, toJSON: () => given, unsubscribe, options }
      return Promise.resolve(present as PushSubscription)
    }
  }, subscription)
}

/** A page whose browser shows notifications, has a push service, and is told of each new teaching. */
async function toldPage(): Promise<Page> {
  const browser = await openBrowser({ permissions: ['notifications'], viewport: { width: 360, height: 740 } })
  onTestFinished(() => browser.close())
  const page = await browser.context.newPage()
  await replacePushService(page)
  await page.goto(`${site.url}/teaching`)
  await page.mouse.move(1, 1)
  await synced(page)
  await choose(page, 'Every teaching')
  return page
}

/** Opens the settings of the page and chooses how often. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('radio', { name }).click()
  await comesTo(devices, '1')
  await page.keyboard.press('Escape')
}

/** A message about the teaching is shown, and none of those sent for it is still on its way. */
async function told(page: Page, deliver: (data: string) => Promise<unknown>): Promise<void> {
  const [hope] = await site.list()
  const message = pushMessage([hope!])
  const worker = page.context().serviceWorkers()[0]!
  const before = await shownBy(worker)
  let sentAt = 0
  // One that a worker does not hear while it starts is sent again; not sooner, as a repeated one could come when it is closed.
  await comesTo(async () => {
    if (Date.now() - sentAt > 10_000) {
      await deliver(JSON.stringify(message))
      sentAt = Date.now()
    }
    return (await shownBy(worker)) > before
  }, true)
  // At once: after some seconds this browser removes it by itself.
  expect(await notifications(page)).toEqual([`${message.title}: ${message.body}`])
}

/** How many notifications the service worker has shown since it was first asked. */
const shownBy = (worker: Worker): Promise<number> =>
  worker.evaluate(() => {
    const scope = globalThis as unknown as { registration: ServiceWorkerRegistration; shown?: number }
    if (scope.shown === undefined) {
      scope.shown = 0
      const show = scope.registration.showNotification.bind(scope.registration)
      scope.registration.showNotification = async (...given) => {
        await show(...given)
        scope.shown! += 1
      }
    }
    return scope.shown
  })

/** How many devices the server tells. */
async function devices(): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${site.url}/metrics`, { headers })).text()
  return /^fellowship_push_devices (\d+)$/m.exec(text)?.[1]
}

// In a profile of its own: private contexts, as other journeys have, are never allowed to show notifications.
test('notifies a subscribed device and opens the teaching', async () => {
  const [hope] = await site.list()
  const browser = await openBrowser({ permissions: ['notifications'], viewport: { width: 360, height: 740 } })
  onTestFinished(() => browser.close())
  const page = await browser.context.newPage()
  await replacePushService(page)
  await page.goto(`${site.url}/teaching`)
  await page.mouse.move(1, 1)
  await synced(page)

  const open = page.getByRole('contentinfo').getByRole('button', { name: 'Settings' })
  await open.click()
  const part = page.getByRole('group', { name: 'Notify me about new teaching' })
  await part.getByRole('radio', { name: 'Every teaching' }).click()
  await comesTo(devices, '1')
  await page.reload()
  await open.click()
  await comesTo(() => part.getByRole('radio', { name: 'Every teaching' }).isChecked(), true)
  await part.getByRole('radio', { name: 'Never' }).click()
  await comesTo(devices, '0')
  await page.keyboard.press('Escape')

  await told(page, await pushService(page))
  await press(page)
  await page.waitForURL(site.url + teachingPath(hope!))
  await page.getByRole('heading', { level: 1, name: 'Hope' }).waitFor()
  await comesTo(() => notifications(page), [])
})

test('one tap ends notifications', async () => {
  const page = await toldPage()
  const deliver = await pushService(page)
  await told(page, deliver)
  const shown = () =>
    page
      .context()
      .serviceWorkers()[0]!
      .evaluate(async () => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
        return (await registration.getNotifications()).map(({ body }) => body)
      })
  await page.goto('about:blank')
  await press(page, 'stop')
  await comesTo(devices, '0')
  await comesTo(shown, [pushTexts.stopped])

  await page.goto(`${site.url}/about`)
  await page.mouse.move(1, 1)
  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  await comesTo(() => page.getByRole('radio', { name: 'Never' }).isChecked(), true)
  await page.keyboard.press('Escape')
  await choose(page, 'Every teaching')
  // As on an iPhone.
  await page
    .context()
    .serviceWorkers()[0]!
    .evaluate(() => void Object.defineProperty(Notification, 'maxActions', { value: 0 }))
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    for (const notification of await registration.getNotifications()) notification.close()
  })
  await told(page, deliver)
  await press(page)
  await page.getByRole('heading', { level: 1, name: 'Hope' }).waitFor()
  await page.getByRole('button', { name: 'Stop these' }).click()
  await comesTo(devices, '0')
  await comesTo(() => new URL(page.url()).hash, '')
  expect(await page.getByRole('button', { name: 'Stop these' }).count()).toBe(0)
})

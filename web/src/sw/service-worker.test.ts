import 'fake-indexeddb/auto'
import { pushMessage } from '@fellowship/schema/push/push-message'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { uploadFromShare } from '@fellowship/sync/client/uploads/upload-share-address'
import { openPath } from '@fellowship/sync/client/worker-messages'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const origin = 'https://example.org'
const hope = aTeaching({ title: 'Hope' })
const showNotification = vi.fn(async (_title: string, _options: object) => undefined)
const page = { postMessage: vi.fn(), focus: async () => undefined }

/** The scope of a service worker, as far as it is used here. */
class Scope extends EventTarget {
  __WB_MANIFEST = [{ url: 'index.html', revision: '1' }]
  location = new URL(`${origin}/service-worker.js`)
  registration = {
    scope: `${origin}/`,
    showNotification,
    getNotifications: async () => [],
    pushManager: { getSubscription: async () => null },
  }
  clients = { matchAll: async () => [page], openWindow: vi.fn() }
  skipWaiting = vi.fn(async () => undefined)
}
const scope = new Scope()

beforeAll(async () => {
  vi.stubGlobal('__WB_DISABLE_DEV_LOGS', true)
  vi.stubGlobal('self', scope)
  vi.stubGlobal('location', scope.location)
  vi.stubGlobal('caches', {})
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('Notification', { maxActions: 2 })
  await import('./service-worker.ts')
})

afterAll(() => void vi.unstubAllGlobals())

/** Dispatches an event to the worker, and waits for its work. */
async function dispatch(type: string, given: object): Promise<void> {
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  scope.dispatchEvent(Object.assign(new Event(type), { waitUntil, ...given }))
  await Promise.all(work)
}

test('shows a pushed message, and opens its teaching when pressed', async () => {
  const message = pushMessage([hope])
  await dispatch('push', { data: { text: () => JSON.stringify(message) } })
  expect(showNotification).toHaveBeenCalledExactlyOnceWith(
    message.title,
    expect.objectContaining({ body: message.body }),
  )
  const { data } = showNotification.mock.calls[0]![1] as { data: unknown }
  const notification = { data, close: vi.fn() }
  await dispatch('notificationclick', { notification, action: '' })
  expect(notification.close).toHaveBeenCalledOnce()
  expect(page.postMessage).toHaveBeenCalledExactlyOnceWith({ type: openPath, path: teachingPath(hope) })
})

test('a shared file waits in the queue of the device', async () => {
  const form = new FormData()
  form.append(uploadFromShare.field, new File(['sound'], 'hope.mp3', { type: 'audio/mpeg' }))
  const request = new Request(origin + uploadFromShare.path, { method: 'POST', body: form })
  let answer: Promise<Response> | undefined
  const respondWith = (given: Promise<Response>) => void (answer = given)
  await dispatch('fetch', { request, respondWith })
  expect((await answer)!.status).toBe(303)
  expect(await new UploadDatabase().jobs.toArray()).toMatchObject([{ filename: 'hope.mp3' }])
})

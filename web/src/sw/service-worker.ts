/// <reference lib="webworker" />
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  getCacheKeyForURL,
  precacheAndRoute,
  type PrecacheEntry,
} from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { freshPage } from '@fellowship/schema/pages/prerender-data'
import { prerenderedPages } from '@fellowship/sync/client/pages/prerendered-pages'
import { answerOfflineAudio, savedAudioOnDevice } from '@fellowship/sync/client/saved-audio/offline-audio'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import {
  pathOf,
  showMessage,
  stopButton,
  stopMessages,
  subscriptionChanged,
} from '@fellowship/sync/client/push/push-worker'
import { uploadFromShare } from '@fellowship/sync/client/uploads/upload-share-address'
import { answerShare } from '@fellowship/sync/client/uploads/upload-shared'
import {
  audioMissing,
  cachePrerenderedPages,
  openPath,
  updateNow,
} from '@fellowship/sync/client/worker-messages'
import { noPages } from './no-pages.ts'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] }

/*
 * The cached addresses, and for how long:
 *
 * | address            | source                                        | how long                     |
 * |--------------------|-----------------------------------------------|------------------------------|
 * | built files, pages | the precache, filled at install                | until the next version runs  |
 * | /, /about,         | prerendered pages for visitors who are not    | until their content has      |
 * | /teaching          | signed in                                     | changed on this device       |
 * | /offline-audio/*   | saved recordings, from IndexedDB              | until the user removes them  |
 * | POST /share        | a form of the system: its files go into the   | until they are in the        |
 * |                    | queue of this device, see upload-shared       | library, or cancelled        |
 * | /images/*          | photos of the elders that were shown once     | the last 40: the address of  |
 * |                    |                                               | a photo is that of its bytes |
 * | /api/*             | never touched: no response is ever cached     |                              |
 * | /audio/*           | never touched: a worker between the player    |                              |
 * |                    | and the network has broken playback before    |                              |
 * | other sites (map)  | never touched: their tiles may not be stored  |                              |
 */

// Navigations come first: '/' must be the shell, regardless of the precache's directory index.
cleanupOutdatedCaches()
precacheAndRoute(self.__WB_MANIFEST, { directoryIndex: '', cleanURLs: false })

const kept = savedAudioOnDevice()
const template = '/index.html'
const prerendered = prerenderedPages({
  caches,
  // Past the browser's cache and those in front of the server, which may hold the version to be replaced.
  fetch: (path) => fetch(path + freshPage, { headers: { accept: 'text/html' }, cache: 'no-cache' }),
  build: new URL(getCacheKeyForURL(template)!).search.slice(1),
  hasFile: (address) => getCacheKeyForURL(address) !== undefined,
  // The page decides at once if the browser is certain that there is no connection.
  savedFirst: async () => !navigator.onLine && kept.any(),
})

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/offline-audio/'),
  ({ request }) => answerOfflineAudio(request, kept, (key) => void tellPages(key)),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === uploadFromShare.path,
  ({ request }) => answerShare(new UploadDatabase(), request),
  'POST',
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/images/'),
  ({ request }) => shownPicture(request),
)

const shell = createHandlerBoundToURL(template)
registerRoute(
  new NavigationRoute(
    async (navigation) =>
      (await prerendered.answer(navigation.url).catch(() => undefined)) ?? shell(navigation),
    { denylist: noPages },
  ),
)

// The new version waits until the user accepts it (or closes every tab), so that no running page changes its version.
self.addEventListener('message', (event) => {
  const message = event.data as { type?: unknown; state?: string | null } | null
  if (message?.type === updateNow) void self.skipWaiting()
  if (message?.type === cachePrerenderedPages) event.waitUntil(prerendered.keep(message.state ?? null))
})

// On the very first visit the page is taken under control at once, so that a recording that is saved now plays offline now.
self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([self.clients.claim(), prerendered.dropOthers()])),
)

const pushDeps = {
  openDatabase: () => new AppDatabase(),
  registration: self.registration,
  setAppBadge: 'setAppBadge' in navigator ? (count: number) => navigator.setAppBadge(count) : undefined,
  fetch: (...input: Parameters<typeof fetch>) => fetch(...input),
  get maxActions() {
    return (Notification as { maxActions?: number }).maxActions ?? 0
  },
  now: () => Date.now(),
}

self.addEventListener('push', (event) => event.waitUntil(showMessage(event.data?.text(), pushDeps)))

self.addEventListener('pushsubscriptionchange', (event) => {
  const { newSubscription } = event as Event & { newSubscription?: PushSubscription | null }
  // The page repairs failures of this step.
  const told = subscriptionChanged(newSubscription, pushDeps).catch(() => undefined)
  ;(event as ExtendableEvent).waitUntil(told)
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    event.action === stopButton.action ? stopMessages(pushDeps) : show(pathOf(event.notification, pushDeps)),
  )
})

/** In an open page, so that playback continues there; else in a new one. */
async function show(path: string): Promise<void> {
  const [page] = await self.clients.matchAll({ type: 'window' })
  if (!page) return void (await self.clients.openWindow(path))
  page.postMessage({ type: openPath, path })
  // A browser may refuse to bring it to the front.
  await page.focus().catch(() => undefined)
}

const mostPictures = 40

async function shownPicture(request: Request): Promise<Response> {
  const pictures = await caches.open('pictures').catch(() => undefined)
  const known = await pictures?.match(request.url)
  if (known) return known
  const answer = await fetch(request)
  if (pictures && answer.status === 200) {
    // If there is no room, the picture is shown without being cached.
    const keep = async (copy: Response) => {
      await pictures.put(request.url, copy)
      const [oldest, ...others] = await pictures.keys()
      if (oldest && others.length >= mostPictures) await pictures.delete(oldest)
    }
    void keep(answer.clone()).catch(() => undefined)
  }
  return answer
}

async function tellPages(key: string): Promise<void> {
  for (const client of await self.clients.matchAll({ type: 'window' })) {
    client.postMessage({ type: audioMissing, key })
  }
}

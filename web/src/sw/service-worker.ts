/// <reference lib="webworker" />
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
  type PrecacheEntry,
} from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { answerOfflineAudio, keptAudioOnDevice } from '@fellowship/sync/client/offline-audio'
import { uploadFromShare } from '@fellowship/sync/client/upload-share-address'
import { answerShare } from '@fellowship/sync/client/upload-shared'
import { audioMissing, updateNow } from '@fellowship/sync/client/worker-messages'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] }

/*
 * What is kept, and for how long:
 *
 * | address            | where from                                    | how long                     |
 * |--------------------|-----------------------------------------------|------------------------------|
 * | built files, pages | the precache, filled at install                | until the next version runs  |
 * | /offline-audio/*   | recordings a member saved, from IndexedDB     | until the member drops them  |
 * | POST /share        | a form of the system: its files go into the   | until they are in the        |
 * |                    | queue of this device, see upload-shared       | library, or given up         |
 * | /images/*          | photos of the elders that were shown once     | the last 40: the address of  |
 * |                    |                                               | a photo is that of its bytes |
 * | /api/*             | never touched: no answer of it is ever kept   |                              |
 * | /audio/*           | never touched: a worker between the player    |                              |
 * |                    | and the network has broken playback before    |                              |
 * | other sites (map)  | never touched: their tiles may not be stored  |                              |
 */

// Navigations come first: '/' must be the shell, whatever the precache thinks of directory indexes.
cleanupOutdatedCaches()
precacheAndRoute(self.__WB_MANIFEST, { directoryIndex: '', cleanURLs: false })

const kept = keptAudioOnDevice()
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/offline-audio/'),
  ({ request }) => answerOfflineAudio(request, kept, (key) => void tellPages(key)),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === uploadFromShare.path,
  ({ request }) => answerShare(request),
  'POST',
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/images/'),
  ({ request }) => shownPicture(request),
)

registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/api\//, /^\/audio\//, /^\/offline-audio\//, /\.\w+$/],
  }),
)

// The new version waits until a person asks for it (or closes every tab): nothing changes under a running page.
self.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === updateNow) void self.skipWaiting()
})

// On the very first visit the page is taken under control at once, so that what is saved now plays offline now.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

const mostPictures = 40

async function shownPicture(request: Request): Promise<Response> {
  const pictures = await caches.open('pictures').catch(() => undefined)
  const known = await pictures?.match(request.url)
  if (known) return known
  const answer = await fetch(request)
  if (pictures && answer.status === 200) {
    // A device without room shows them all the same.
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

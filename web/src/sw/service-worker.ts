/// <reference lib="webworker" />
import { cacheNames } from 'workbox-core'
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  getCacheKeyForURL,
  precacheAndRoute,
  type PrecacheEntry,
} from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { coverSvg } from '@fellowship/schema/covers/cover'
import { coverAt } from '@fellowship/schema/covers/cover-path'
import { handoutAt, handoutCache } from '@fellowship/schema/handouts/handout-file'
import { handoutTexts } from '@fellowship/schema/handouts/handouts.texts'
import { freshPage } from '@fellowship/schema/pages/prerender-data'
import { prerenderedPages } from '@fellowship/sync/client/pages/prerendered-pages'
import { takeForPlayer } from '@fellowship/sync/client/saved-audio/audio-line'
import { answerOfflineAudio, savedAudioOnDevice } from '@fellowship/sync/client/saved-audio/offline-audio'
import { playedChunks, type PlayerNetwork } from '@fellowship/sync/client/saved-audio/played-chunk'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import {
  pathOf,
  showMessage,
  stopButton,
  stopMessages,
  subscriptionChanged,
} from '@fellowship/sync/client/push/push-worker'
import { passOnSite, readSite } from '@fellowship/sync/client/replica/site.store'
import { uploadFromShare } from '@fellowship/sync/client/uploads/upload-share-address'
import { answerShare } from '@fellowship/sync/client/uploads/upload-shared'
import {
  audioKept,
  audioMissing,
  cachePrerenderedPages,
  openPath,
  repairedCache,
  storePlayed,
  updateNow,
} from '@fellowship/sync/client/worker-messages'
import { isPoisoned, judgedFiles } from './judged-files.ts'
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
 * | /offline-audio/*   | recordings that play, from IndexedDB, and     | saved ones until the user    |
 * |                    | from the network what is not there            | removes them, others until   |
 * |                    |                                               | their room is needed         |
 * | POST /share        | a form of the system: its files go into the   | until they are in the        |
 * |                    | queue of this device, see upload-shared       | library, or cancelled        |
 * | /images/*          | photos of the elders that were shown once     | the last 40: the address of  |
 * |                    |                                               | a photo is that of its bytes |
 * | /handouts/*        | handouts that the page stored with saved      | with their recordings        |
 * |                    | recordings, else from the network             |                              |
 * | /covers/*.svg      | drawn here, as on the server                  | never                        |
 * | /covers/*.png      | covers that were played once, for the lock    | among the last 40 pictures;  |
 * |                    | screen                                        | offline else drawn here      |
 * | /api/*             | never touched: no response is ever cached     |                              |
 * | /audio/*           | never touched: it plays without a worker, and |                              |
 * |                    | if the worker fails                           |                              |
 * | other sites (map)  | never touched: their tiles may not be stored  |                              |
 */

const template = '/index.html'
const files = self.__WB_MANIFEST
const integrity = new Map(
  files.flatMap((file) =>
    typeof file === 'object' && file.integrity ? [[`/${file.url}`, file.integrity] as const] : [],
  ),
)

/** Whether the version before has foreign pages in place of its files, as after a portal or a maintenance page. */
let repairs = false
self.addEventListener('install', (event) => {
  const look = async () => {
    repairs = await isPoisoned(await caches.open(cacheNames.precache), template)
    // It cannot ask for consent.
    if (repairs) await self.skipWaiting()
  }
  event.waitUntil(look())
})

// Navigations come first: '/' must be the shell, regardless of the precache's directory index.
cleanupOutdatedCaches()
addPlugins([judgedFiles({ integrity, template })])
precacheAndRoute(files, { directoryIndex: '', cleanURLs: false })

const kept = savedAudioOnDevice()
const network: PlayerNetwork = {
  fetch: (url, init) => fetch(url, init),
  take: takeForPlayer,
  onKept: (key) => void tellPages(audioKept, key),
  onNetwork(wake) {
    self.addEventListener('online', wake)
    return () => self.removeEventListener('online', wake)
  },
}
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
  ({ request }) => answerOfflineAudio(request, kept, (key) => void tellPages(audioMissing, key), network),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === uploadFromShare.path,
  async ({ request }) => {
    const db = new AppDatabase()
    // For the church's date.
    await readSite(db).then(passOnSite, () => undefined)
    return answerShare(new UploadDatabase(), request, () => db.signedInUser())
  },
  'POST',
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/images/'),
  ({ request }) => shownPicture(request),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && handoutAt(url.pathname) !== undefined,
  ({ request, url }) => handoutOf(request, url.pathname),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/covers/'),
  ({ request, url }) => coverOf(request, url.pathname),
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
  const message = event.data as { type?: unknown; state?: string | null; key?: string } | null
  if (message?.type === updateNow) void self.skipWaiting()
  if (message?.type === storePlayed && message.key) event.waitUntil(playedChunks(network).flush(message.key))
  if (message?.type === cachePrerenderedPages) event.waitUntil(prerendered.keep(message.state ?? null))
})

// On the very first visit the page is taken under control at once, so that a recording that is saved now plays offline now.
self.addEventListener('activate', (event) => {
  const begin = async () => {
    await Promise.all([self.clients.claim(), prerendered.dropOthers()])
    if (repairs) await openBlankPagesAgain()
  }
  event.waitUntil(begin())
})

/** A page that could not start has requested no lock; all others reload themselves as after an update. */
async function openBlankPagesAgain(): Promise<void> {
  await caches.open(repairedCache)
  const { held = [], pending = [] } = (await self.navigator.locks?.query()) ?? {}
  const alive = new Set([...held, ...pending].map(({ clientId }) => clientId))
  for (const page of await self.clients.matchAll({ type: 'window' }))
    if (!alive.has(page.id)) await page.navigate(page.url).catch(() => undefined)
}

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

/** Portals answer with a page of their own, status 200. */
const isPicture = ({ headers }: Response) => headers.get('content-type')?.startsWith('image/') ?? false

async function shownPicture(request: Request): Promise<Response> {
  const pictures = await caches.open('pictures').catch(() => undefined)
  const known = await pictures?.match(request.url)
  if (known && isPicture(known)) return known
  const answer = await fetch(request)
  if (pictures && answer.status === 200 && isPicture(answer)) {
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

async function handoutOf(request: Request, pathname: string): Promise<Response> {
  const kept = await caches.match(pathname, { cacheName: handoutCache }).catch(() => undefined)
  return kept ?? fetch(request).catch(() => new Response(handoutTexts.notOnDevice, { status: 503 }))
}

/** Without a connection too: drawings are made here, and only a lock screen asks for the pictures. */
async function coverOf(request: Request, pathname: string): Promise<Response> {
  const cover = coverAt(pathname)
  const drawn = () =>
    cover ? new Response(coverSvg(cover), { headers: { 'content-type': 'image/svg+xml' } }) : Response.error()
  // The lock screen of a device without a connection takes the drawing as well.
  return cover?.format === 'svg' ? drawn() : shownPicture(request).catch(drawn)
}

async function tellPages(type: string, key: string): Promise<void> {
  for (const client of await self.clients.matchAll({ type: 'window' })) {
    client.postMessage({ type, key })
  }
}

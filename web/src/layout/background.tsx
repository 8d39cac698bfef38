import { toldFragment } from '@fellowship/schema/push/push-address'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { audioMissing, openPath } from '@fellowship/sync/client/worker-messages'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { PlayerBar } from '../features/audio/player/player-bar.tsx'
import { savedKnown, useSavedShelf } from '../features/audio/saved/saved.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { positionsNow } from '../features/listening/positions.ts'
import { OfflineNotice, UpdateNotice } from '../features/sync/notices.tsx'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'
import { usePrerenderedPages } from '../features/sync/use-prerendered-pages.ts'
import { ShareButton } from '../features/teachings/share-button.tsx'
import type { receiveLaunches } from '../features/uploads/launched-files.ts'
import { useWhatsNew } from '../features/whats-new/whats-new.ts'
import { useComfort, useReducedData } from '../lib/comfort.ts'
import { sendLeftBy } from '../lib/left-moments.ts'
import { listen } from '../lib/listen.ts'
import { useChurch } from '../lib/use-church.ts'
import { ownPath } from '../lib/own-path.ts'
import { runWhenLoaded } from '../lib/run-when-loaded.ts'
import { lazyPart, optional } from '../ui/lazy-part.tsx'
import { toastPlace } from '../ui/toaster.tsx'
import { useRestoredFocus } from '../ui/use-restored-focus.ts'
import { HeldDialogs } from './held-dialogs.tsx'
import { useRestoredScroll } from './use-restored-scroll.ts'
import '../styles/late.css'

const TroubleNotice = lazyPart(() => import('../features/sync/trouble-notice.tsx'), 'TroubleNotice')
// Shown after the user pressed a notification. If it fails to load, the settings offer the same.
const NotificationsNotice = lazyPart(
  () => import('../features/push/notifications-notice.tsx'),
  'NotificationsNotice',
  optional,
)

/**
 * The last step of the start, on every page: starts the service worker, sync, downloads and queued changes, and renders
 * the player and notices at the bottom edge.
 */
export function Background({ main }: { main: RefObject<HTMLElement | null> }): ReactNode {
  const edge = useRef<HTMLDivElement>(null)
  const notices = useRef<HTMLDivElement>(null)
  useBottomEdge(edge, notices)
  useRestoredFocus(main)
  useRestoredScroll()
  useBrowserColour()
  useAccent()
  const navigate = useNavigate()
  const pathname = useLocation({ select: (location) => location.pathname })
  const isTold = useLocation({ select: (location) => location.hash === toldFragment })
  const trouble = useDeviceSync()?.trouble
  useQueues()
  useWaitingTexts()
  useLaunchedFiles()
  usePrerenderedPages()
  // On every page: it records the page view and clears the count on the icon.
  useWhatsNew()
  useWorkerMessages()
  useRenewedSubscription()
  useEffect(() => void savedKnown(), [])
  return (
    <>
      <div
        ref={edge}
        id="notices"
        className="pointer-events-none fixed inset-x-0 bottom-0 z-30 pb-[env(safe-area-inset-bottom)] print:hidden"
      >
        <div ref={notices} className="flex flex-col items-start gap-3 p-3 empty:hidden sm:p-5">
          <OfflineNotice />
          <UpdateNotice />
          {trouble && <TroubleNotice trouble={trouble} />}
          {isTold && (
            <NotificationsNotice
              onClose={() =>
                void navigate({ to: '.', hash: '', replace: true, resetScroll: false, search: true })
              }
            />
          )}
        </div>
        <PlayerBar
          offersContinue={pathname === '/' || pathname.startsWith('/teaching')}
          onShow={(uid) => void navigate({ href: pathByUid(uid) })}
          onManage={() => void navigate({ to: '/teaching', search: { show: 'saved' } })}
          share={shareButton}
        />
      </div>
      <HeldDialogs />
      <SpokenIndex />
    </>
  )
}

const shareButton = (teaching: Teaching, momentOf: () => number) => (
  <ShareButton teaching={teaching} momentOf={momentOf} />
)

/** Sends queued changes and uploads on every page. */
function useQueues(): void {
  const { status, user } = useAuth()
  const userId = user?.id
  useEffect(() => {
    if (status !== 'known') return undefined
    return runWhenLoaded(async () => {
      const { pageQueues } = await import('../features/sync/page-queues.ts')
      await (await import('../features/listening/positions.device.ts')).writeLeft()
      const { listening } = pageQueues()
      sendLeftBy((uid, moment) => listening.sendLeft(uid, moment, positionsNow()?.get(uid)))
      return () => pageQueues().setUser(userId)
    })
  }, [status, userId])
}

/** Sends the texts of recordings that were saved without a connection. */
function useWaitingTexts(): void {
  const userId = useAuth().user?.id
  useEffect(() => {
    if (userId === undefined) return undefined
    return runWhenLoaded(async () => {
      const { sendWaitingTexts } = await import('../features/transcripts/waiting-texts.ts')
      return () => sendWaitingTexts(userId)
    })
  }, [userId])
}

/**
 * Handles the messages of the service worker: navigates within the page when a notification is pressed, so that audio
 * continues, and marks saved recordings whose bytes are missing.
 */
function useWorkerMessages(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
    const onMessage = ({ data }: MessageEvent<{ type?: unknown; path?: unknown } | null>) => {
      const path = data?.type === openPath && typeof data.path === 'string' && ownPath(data.path)
      if (path) void navigate({ href: path })
      // If marking fails now, the next start finds the missing bytes.
      if (data?.type === audioMissing)
        loadSaved()
          .then((device) => device.findMissing())
          .catch(() => undefined)
    }
    return worker && listen(worker, ['message'], onMessage)
  }, [navigate])
}

const loadSaved = () => import('../features/audio/saved/saved.device.ts')

/** Renews the push subscription if there is one. If this fails, the next start tries again. */
function useRenewedSubscription(): void {
  useEffect(() => {
    if (!('Notification' in window) || Notification.permission !== 'granted') return
    import('../features/push/push.device.ts')
      .then((device) => device.renewSubscription())
      .catch(() => undefined)
  }, [])
}

/**
 * Updates the transcript index when the replica is, or when a recording was saved, once the page has been quiet
 * for a while: it is never ahead of anything that a person waits for. On the library page it is also built for the first letter
 * of a search. A component of its own, as it follows every download.
 */
function SpokenIndex(): ReactNode {
  const cursor = useDeviceSync()?.cursor
  const { byKey } = useSavedShelf()
  const saved = [...byKey.values()].filter(({ state }) => state === 'ready').length
  const { spoken } = useComfort()
  const isReduced = useReducedData()
  const prepare = useLocation({ select: ({ pathname }) => pathname === '/teaching' })
  useEffect(() => {
    if (cursor === undefined) return undefined
    const timer = setTimeout(
      () =>
        void import('../features/spoken-search/device-index.ts').then(
          (device) => device.updateIndex({ spoken, isReduced, prepare }),
          () => undefined,
        ),
      quietMs,
    )
    return () => clearTimeout(timer)
  }, [cursor, spoken, isReduced, prepare, saved])
  return null
}

/** Milliseconds from the pull to the index. */
const quietMs = 2_500

/** Receives files that the operating system opens with the installed site. */
function useLaunchedFiles(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const queue = (window as { launchQueue?: Parameters<typeof receiveLaunches>[0] }).launchQueue
    if (!queue) return
    const goTo = (address: string) => {
      const path = ownPath(address)
      if (path) void navigate({ href: path })
    }
    void import('../features/uploads/launched-files.ts').then(
      ({ receiveLaunches: receive }) => receive(queue, goTo),
      () => undefined,
    )
  }, [navigate])
}

/**
 * Places toasts above the bottom edge of the page, so that the player's bar stays visible; its height depends on the text
 * size. Sets the heights on the toasts' element only, so that nothing else is laid out again; `late.css` uses them.
 *
 * @param edge everything at the bottom edge
 * @param notices the notices in it, above the bar
 */
function useBottomEdge(edge: RefObject<HTMLElement | null>, notices: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const all = edge.current
    if (!all) return undefined
    const { style } = toastPlace()
    const observer = new ResizeObserver(() => {
      const above = notices.current?.offsetHeight ?? 0
      style.setProperty('--above-bar', `${all.offsetHeight - above}px`)
      style.setProperty('--above-all', `${all.offsetHeight}px`)
    })
    observer.observe(all)
    return () => observer.disconnect()
  }, [edge, notices])
}

/** Colours the browser's own bars as chosen on this device; each tag names the scheme that it is for. */
function useBrowserColour(): void {
  const { scheme } = useComfort()
  useEffect(() => {
    for (const tag of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
      const own = tag.media.includes('dark') ? 'dark' : 'light'
      tag.content = colours[scheme ?? own]
    }
  }, [scheme])
}

/** Follows a change of the accent, for a page that was made before it. */
function useAccent(): void {
  const { accent } = useChurch()
  useEffect(() => {
    import('../lib/accent.device.ts').then(
      ({ setAccent }) => setAccent(accent),
      () => undefined,
    )
  }, [accent])
}

const colours = { light: '#fbf8f2', dark: '#14201c' }

import { toldFragment } from '@fellowship/schema/push/push-address'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode, type RefObject } from 'react'
import { useWhatsNew } from '../features/whats-new/whats-new.ts'
import { listenForMissingAudio } from '../features/audio/player/missing-audio.ts'
import { PlayerBar } from '../features/audio/player/player-bar.tsx'
import { savedKnown } from '../features/audio/saved/saved.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ShareButton } from '../features/teachings/share-button.tsx'
import type { receiveLaunches } from '../features/uploads/launched-files.ts'
import { listenForOpened } from '../features/push/opened-notifications.ts'
import { ownPath } from '../lib/own-path.ts'
import { OfflineNotice, UpdateNotice } from '../features/sync/notices.tsx'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'
import { usePrerenderedPages } from '../features/sync/use-prerendered-pages.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useRestoredFocus } from '../ui/use-restored-focus.ts'
import { useBottomEdge } from './use-bottom-edge.ts'
import { useBrowserColour } from './use-browser-colour.ts'
import { useRestoredScroll } from './use-restored-scroll.ts'
import '../styles/late.css'

const TroubleNotice = lazyPart(
  async () => (await import('../features/sync/trouble-notice.tsx')).TroubleNotice,
)
// Shown after the user pressed a notification. If it fails to load, the settings offer the same.
const NotificationsNotice = lazyPart(
  async () => (await import('../features/push/notifications-notice.tsx')).NotificationsNotice,
  { failure: 'ignore' },
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
  const navigate = useNavigate()
  const pathname = useLocation({ select: (location) => location.pathname })
  const isTold = useLocation({ select: (location) => location.hash === toldFragment })
  const trouble = useDeviceSync()?.trouble
  useQueues()
  useLaunchedFiles()
  usePrerenderedPages()
  // On every page: it records the page view and clears the count on the icon.
  useWhatsNew()
  useNotifications()
  useEffect(() => {
    void savedKnown()
    return listenForMissingAudio()
  }, [])
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
      {trouble && <TroubleNotice trouble={trouble} />}
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
    let isStale = false
    const begin = async () => {
      const { pageQueues } = await import('../features/sync/page-queues.ts')
      if (userId !== undefined) await (await import('../features/listening/positions.device.ts')).writeLeft()
      if (!isStale) pageQueues().setUser(userId)
    }
    void begin().catch(() => undefined)
    return () => {
      isStale = true
    }
  }, [status, userId])
}

/** Navigates when a notification is pressed, and renews the push subscription if there is one. */
function useNotifications(): void {
  const navigate = useNavigate()
  useEffect(() => listenForOpened((path) => void navigate({ href: path })), [navigate])
  useEffect(() => {
    if (!('Notification' in window) || Notification.permission !== 'granted') return
    // If this fails, the next start tries again.
    import('../features/push/push.device.ts')
      .then((device) => device.renewSubscription())
      .catch(() => undefined)
  }, [])
}

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

import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { listenForMissingAudio } from '../features/audio/player/missing-audio.ts'
import { PlayerBar } from '../features/audio/player/player-bar.tsx'
import { savedKnown } from '../features/audio/saved/saved.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import type { receiveLaunches } from '../features/uploads/launched-files.ts'
import { ownPath } from '../lib/own-path.ts'
import { OfflineNotice } from '../features/sync/offline-notice.tsx'
import { UpdateNotice } from '../features/sync/update-notice.tsx'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'
import { usePrerenderedPages } from '../features/sync/use-prerendered-pages.ts'

const TroubleNotice = lazy(() =>
  import('../features/sync/trouble-notice.tsx').then((m) => ({ default: m.TroubleNotice })),
)

/**
 * What every page has besides itself, started once it has settled: the worker, the catalogue's freshness, saved
 * recordings on their way, what waits to be sent, and at the bottom edge the player and what there is to be said.
 */
export function Background(): ReactNode {
  const navigate = useNavigate()
  const trouble = useDeviceSync()?.trouble
  const { status, user } = useAuth()
  const userId = user?.id
  useEffect(() => {
    if (status !== 'known') return undefined
    let over = false
    // What waits on this device is sent from whatever page is open.
    void import('../features/sync/page-queues.ts').then(
      // Whoever signed in or out while the code was on its way is told of in their turn.
      ({ pageQueues }) => !over && pageQueues().setUser(userId),
      () => undefined,
    )
    return () => {
      over = true
    }
  }, [status, userId])
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
  usePrerenderedPages()
  useEffect(() => {
    void savedKnown()
    return listenForMissingAudio()
  }, [])
  return (
    <>
      <div className="pointer-events-none fixed inset-x-0 bottom-0 z-30 pb-[env(safe-area-inset-bottom)]">
        <div className="flex flex-col items-start gap-3 p-3 empty:hidden sm:p-5">
          <OfflineNotice />
          <UpdateNotice />
        </div>
        <PlayerBar onShow={(uid) => void navigate({ to: '/teaching', search: { t: uid } })} />
      </div>
      <Suspense>{trouble && <TroubleNotice trouble={trouble} />}</Suspense>
    </>
  )
}

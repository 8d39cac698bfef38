import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { InstallControl } from '../features/sync/install-control.tsx'
import { SyncStatus } from '../features/sync/sync-status.tsx'
import { ComfortControl } from './comfort-control.tsx'

/** The device's row in the footer of every page: settings, sync status and installing. */
export function DeviceLine(): ReactNode {
  // The library shows it itself, beside Sync.
  const isLibrary = useLocation({ select: ({ pathname }) => /^\/teaching\/?$/.test(pathname) })
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <ComfortControl />
      {!isLibrary && <SyncStatus />}
      <InstallControl />
    </div>
  )
}

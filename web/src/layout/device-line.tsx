import { Link, useLocation } from '@tanstack/react-router'
import { Headphones } from 'lucide-react'
import type { ReactNode } from 'react'
import { InstallControl } from '../features/sync/install-control.tsx'
import { SyncStatus } from '../features/sync/sync-status.tsx'
import { ComfortControl } from './comfort-control.tsx'

/** The device's row in the footer of every page: display settings, sync status and installing. */
export function DeviceLine(): ReactNode {
  // The library shows it itself, beside Sync.
  const isLibrary = useLocation({ select: ({ pathname }) => /^\/teaching\/?$/.test(pathname) })
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <Link
        to="/listening"
        className="inline-flex min-h-11 items-center gap-2 underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine"
      >
        <Headphones className="size-5 shrink-0" />
        My listening
      </Link>
      <ComfortControl />
      {!isLibrary && <SyncStatus />}
      <InstallControl />
    </div>
  )
}

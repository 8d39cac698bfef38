import type { ReactNode } from 'react'
import { InstallControl } from '../features/sync/install-control.tsx'
import { SyncStatus } from '../features/sync/sync-status.tsx'
import { ComfortControl } from './comfort-control.tsx'

/** The device's own line at the foot of every page: how it looks here, how fresh its copy is, and the way to install it. */
export function DeviceLine(): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <ComfortControl />
      <SyncStatus />
      <InstallControl />
    </div>
  )
}

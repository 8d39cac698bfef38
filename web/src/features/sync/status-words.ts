import { counted } from '@fellowship/schema/counted'
import type { DeviceSync } from './sync.device.ts'

/** The freshness of a device's data, in terms of the status line. */
export type Standing = 'never' | 'updating' | 'fresh' | 'offline' | 'failed'

/** @param offlineSince when the browser lost its network; if the server answered since then, the network is back */
export function standingOf({ status, syncedAt }: DeviceSync, offlineSince?: number): Standing {
  if (offlineSince !== undefined && comparable(syncedAt) <= offlineSince) return 'offline'
  // If another tab synced after the failure of this one, the failure is over.
  const failed = status.failedAt !== undefined && status.failedAt > comparable(syncedAt)
  if (failed) return status.unreachable ? 'offline' : 'failed'
  if (status.syncing) return 'updating'
  return syncedAt === undefined ? 'never' : 'fresh'
}

/** A moment in the future was recorded before the device's clock was set back, so it counts as earlier than now. */
const comparable = (syncedAt = 0): number => (syncedAt > Date.now() ? 0 : syncedAt)

/** One sentence for the status line; empty before the first sync. */
export function statusWords(sync: DeviceSync, now: number, offlineSince?: number): string {
  const { status, syncedAt } = sync
  switch (standingOf(sync, offlineSince)) {
    case 'never':
      return ''
    case 'updating':
      return 'Updating…'
    case 'fresh':
      return `Up to date, ${ago(now - syncedAt!)}`
    case 'offline':
      return syncedAt === undefined
        ? 'Offline. Nothing is saved yet'
        : `Offline. Last updated ${ago(now - syncedAt)}`
    case 'failed':
      return `Could not update: ${status.failure}`
  }
}

/** 'just now', '2 minutes ago', 'yesterday' is '1 day ago'. */
export function ago(ms: number): string {
  // The clock was set back since. A smaller difference comes from the status line, which reads the time twice a minute.
  if (ms < -60_000) return 'some time ago'
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${counted(minutes, 'minute')} ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${counted(hours, 'hour')} ago`
  return `${counted(Math.floor(hours / 24), 'day')} ago`
}

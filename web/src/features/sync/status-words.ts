import { counted } from '@fellowship/schema/counted'
import type { DeviceSync } from './device-sync.ts'

/** How a device stands with the server, as a person would say it. */
export type Standing = 'never' | 'updating' | 'fresh' | 'offline' | 'failed'

/** @param offlineSince when the browser lost its network; an answer of the server since then says that it has one */
export function standingOf({ status, syncedAt }: DeviceSync, offlineSince?: number): Standing {
  if (offlineSince !== undefined && comparable(syncedAt) <= offlineSince) return 'offline'
  // Another tab of this device has heard from the server since this one failed.
  const failed = status.failedAt !== undefined && status.failedAt > comparable(syncedAt)
  if (failed) return status.unreachable ? 'offline' : 'failed'
  if (status.syncing) return 'updating'
  return syncedAt === undefined ? 'never' : 'fresh'
}

/** A moment still to come was noted before the device's clock was set back: whatever happened now is later. */
const comparable = (syncedAt = 0): number => (syncedAt > Date.now() ? 0 : syncedAt)

/** One sentence for the status line; empty where there is nothing to be said yet. */
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
  // The clock was set back since. Less than that is the status line's own, which is told the time twice a minute.
  if (ms < -60_000) return 'some time ago'
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${counted(minutes, 'minute')} ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${counted(hours, 'hour')} ago`
  return `${counted(Math.floor(hours / 24), 'day')} ago`
}

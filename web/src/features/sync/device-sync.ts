import {
  appDatabase,
  liveQuery,
  onDatabaseTrouble,
  type DatabaseTrouble,
} from '@fellowship/sync/client/database'
import { syncSession, type SyncStatus } from '@fellowship/sync/client/replica/sync-session'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'

/** What the page tells of its conversation with the server. */
export interface DeviceSync {
  status: SyncStatus
  /** When the device last heard everything, epoch milliseconds; undefined where it never did. */
  syncedAt: number | undefined
  /** What it has heard, as the server names it; undefined where there is no copy. */
  cursor: string | undefined
  trouble: DatabaseTrouble | undefined
}

/** Starts keeping the device up to date, and tells how that stands, now and after every change. */
export function watchDeviceSync(onChange: (sync: DeviceSync) => void): void {
  const session = syncSession()
  let now: DeviceSync = {
    status: session.status(),
    syncedAt: undefined,
    cursor: undefined,
    trouble: undefined,
  }
  const put = (change: Partial<DeviceSync>) => {
    now = { ...now, ...change }
    onChange(now)
  }
  session.onStatus(() => put({ status: session.status() }))
  onDatabaseTrouble((trouble) => put({ trouble }))
  liveQuery(() => readSyncState(appDatabase())).subscribe({
    next: ({ syncedAt, cursor }) => put({ syncedAt, cursor }),
    // Without a database nothing is kept: the page lives from the line alone, and says nothing about a copy.
    error: () => put({ syncedAt: undefined, cursor: undefined }),
  })
}
